#!/usr/bin/env bash
# Programs of several units, compiled at different levels, with inline functions in common, weak
# ones, and libraries: what is regenerated is what was reported.
set -eu
. "$COTREE_TOP/tests/lib/traced.sh"
compile() { # LEVEL SOURCE OUT [OPTION...]
    "$cotree" "$([ "${2##*.}" = c ] && echo cc || echo c++)" -O"$1" -w -fcotree=trace -fcotree-trace=report \
        -c "$here/$2" -o "$3" "${@:4}"
}
# What is inline calls what each unit has of its own, against the rule of one definition: which one
# runs is the linker's choice, and the inliner's, so the plain program is compiled alike where
# nothing is inlined. Otherwise each traced unit runs its own (docs/runtime.md), as the plain
# program does in which all is.
plain() { # LEVEL-OF-FIRST LEVEL-OF-SECOND
    "clang++-$LLVM" -O"$1" -w -c "$here/units_first.cpp" -o plain_first.o
    "clang++-$LLVM" -O"$2" -w -c "$here/units_second.cpp" -o plain_second.o
    "clang++-$LLVM" -O2 -w -c "$here/units_third.cpp" -o plain_third.o
    "clang-$LLVM" -O2 -c "$here/units_library.c" -o plain_library.o
    "clang++-$LLVM" plain_first.o plain_third.o reporter.o plain_second.o plain_library.o -o plain
    ./plain >plain.out
}

compile 2 units_third.cpp third.o
compile 2 units_library.c library.o
compile 2 units_library.c library_pic.o -fPIC
for levels in '0 0' '2 2' '0 2' '2 0' '3 1'; do
    compile "${levels% *}" units_first.cpp first.o
    compile "${levels#* }" units_second.cpp second.o
    rm -f lib.a
    ar rcs lib.a second.o library.o
    "$cotree" c++ -fcotree=trace first.o third.o reporter.o lib.a -o units
    ./units >traced.out
    case $levels in '0 0') plain 0 0 ;; *) plain 2 2 ;; esac
    cmp plain.out traced.out
    blocks=0
    same units 1
    echo "levels $levels: $blocks blocks"
done

# The library as one.
"$cotree" cc -fcotree=trace -shared library_pic.o -o libunits.so
"$cotree" c++ -fcotree=trace -rdynamic first.o second.o third.o reporter.o ./libunits.so -o units
./units >traced.out
cmp plain.out traced.out
blocks=0
same units 1
echo "library: $blocks blocks"
