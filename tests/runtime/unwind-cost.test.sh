#!/usr/bin/env bash
# What a step costs, in instructions: frames walked before, of the program and of a library that can
# be unloaded.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"
command -v valgrind >/dev/null || { echo "skipped: no valgrind"; exit 77; }
instructions() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null --log-file=log "$@" >/dev/null &&
        sed -n 's/.*Collected : //p' log
}
build_exec walk -O2 -gdwarf-4 "$HERE/unwind.c"
# Two walks of 1005 frames and their end, each time; the loop around takes 6 instructions a frame.
few=$(instructions ./walk walk 100) many=$(instructions ./walk walk 200)
frame=$(((many - few) / (2 * 1006 * 100)))
echo "$frame instructions a frame"
[ $frame -gt 20 ] && [ $frame -le 85 ] || fail "$frame instructions a frame"
