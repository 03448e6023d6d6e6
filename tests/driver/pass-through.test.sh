#!/usr/bin/env bash
# Whatever clang is asked to do short of making code is passed through untouched; code gets words of
# ours and loses none.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
write_sources
echo 'int f(void);' >h.h
$clang -c a.c b.c

untouched -E a.c
untouched -E -dM -x c /dev/null
untouched -M a.c
untouched -MM -MF deps -MT x a.c
untouched -c -E a.c
untouched -fsyntax-only a.c b.c
untouched --analyze a.c
untouched -c b.s
untouched -c B.S
untouched -x assembler -c a.c
untouched -x assembler-with-cpp -c a.c
untouched h.h
untouched -x c-header -o h.pch h.h
untouched -r a.o b.o -o c.o
untouched -Wl,-r a.o -o c.o
untouched -v
untouched a.c -c -o -E --version

only_added -c a.c
only_added -S a.c -o -
only_added -c -MD -MF d -MP a.c
only_added -c a.c b.c
only_added a.c b.c -o prog
only_added -O2 -g a.c b.s B.S -o prog
only_added -c -emit-llvm a.c
only_added -S -emit-llvm a.c
only_added -x c -c b.s
only_added -x c -c - -o x.o
only_added -x c a.c -x none b.s -o prog
only_added -xc++ -c a.c
only_added -c -flto a.c
only_added -c -flto=thin a.c
only_added -save-temps -c a.c
only_added -c a.c -o -fcotree-is-a-file
only_added -include -E -c a.c
only_added -Xclang -ast-dump -c a.c
only_added -D -c -I -E a.c b.o
only_added a.o -o prog
only_added a.o -lm -Wl,--as-needed -o prog
only_added -shared -fPIC b.c -o libb.so
only_added -static a.c b.c
only_added -static-pie a.c b.c
only_added -c -O3 -march=native -fsanitize=address -fno-omit-frame-pointer a.c
only_added --target=x86_64-linux-gnu -c a.c

# Things clang prints instead of compiling.
for option in --version -dumpversion -dumpmachine -print-search-dirs -print-libgcc-file-name \
    --print-resource-dir \
    -print-prog-name=ld -print-file-name=libc.a -print-multi-os-directory -print-target-triple \
    -print-supported-cpus \
    --help-hidden --autocomplete=-fcolor-dia; do
    [ "$(cotree cc $option 2>&1)" = "$($clang $option 2>&1)" ] || die "$option differs"
    [ "$(cotree c++ $option 2>&1)" = "$($clang --driver-mode=g++ $option 2>&1)" ] || die "c++ $option differs"
done
[ "$(cotree cc -print-file-name=libc.a -c a.c)" = "$($clang -print-file-name=libc.a)" ]

# Preprocessed text and dependencies are clang's own.
cotree cc -E a.c >ours.i && $clang -E a.c >plain.i && cmp ours.i plain.i
cotree cc -MM a.c >ours.d && $clang -MM a.c >plain.d && cmp ours.d plain.d
