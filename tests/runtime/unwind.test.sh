#!/usr/bin/env bash
# Our walks of stacks are those of libgcc's unwinder, frame by frame and register by register: compiled with and without frame
# pointers, optimised or not, by clang and gcc; from signal handlers at any instruction, on alternate and handmade stacks, in threads.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"

check() { # program
    for what in shapes signals alternate step step-alternate threads "ticks 1000" "ticks 1001"; do
        "./$1" $what >out 2>err || { head -60 err; fail "$1 $what: status $?"; }
        cat out
    done
}
build_exec O0 -O0 "$HERE/unwind.c"
build_exec O2 -O2 -fomit-frame-pointer "$HERE/unwind.c"
build_exec O3 -O3 -fno-omit-frame-pointer "$HERE/unwind.c"
for program in O0 O2 O3; do
    check $program
done
