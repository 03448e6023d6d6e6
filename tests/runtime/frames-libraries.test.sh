#!/usr/bin/env bash
# Frames of libraries with counters are counted too, under programs with and without, whichever of
# the two is left first.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"
build_shared liblibrary.so -O2 "$HERE/frames_library.c"
build_exec host -O2 "$HERE/frames_host.c"
"$CLANG" $CFLAGS_TEST -DPLAIN "$HERE/frames_host.c" -o plain

check() { # PROGRAM KIND EVENTS-OF-PROGRAM EVENTS-OF-LIBRARY
    rm -f ./*.cotree
    ./$1 ./liblibrary.so $2 || :
    expect "$1 $2: program" "$(events $1 ./*.cotree)" "$3"
    expect "$1 $2: library" "$(events liblibrary.so ./*.cotree)" "$4"
    expect "$1 $2: lost" "$(field frames_lost ./*.cotree)" 0
}
for kind in exit _exit quick_exit again; do
    check host $kind "CUT main 1; CUT t_catch 1" "CUT t_library 1"
done
check host return "" ""
check host callback "CUT main 1; CUT t_back 1; CUT t_catch 1" "CUT t_library 1"
check host longjmp "CUT t_back 100; CUT t_catch 100; RESUME t_catch 100" "CUT t_library 100"
check host closed "CUT main 1" ""
for kind in exit quick_exit again callback; do
    check plain $kind "" "CUT t_library 1"
done
check plain return "" ""
check plain closed "" ""

# Before main, called by the loader.
build_exec linked -O2 "$HERE/frames_host.c" -Wl,--no-as-needed -L. -llibrary -Wl,-rpath,"$PWD"
for how in exit _exit; do LEAVE=$how check linked return "" "CUT t_constructor 1"; done
