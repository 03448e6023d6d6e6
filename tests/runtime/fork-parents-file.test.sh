#!/usr/bin/env bash
# A child of fork that cannot make a file counts in its parent's; nothing is lost.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"
build_exec prog "$HERE/hostile.c"
build_static static "$HERE/hostile.c"
POOL=1 FORKED=64
for program in prog static; do
    CHILDREN=5 ./$program seccomp 0 # without threads: with them, in a sandbox, an end says nothing
    expect "$program: one file" "$(ls $program.*.cotree | wc -l)" 1
    expect "$program: counts" "$(sum 5001 $program.*.cotree)" "1 500"
    expect "$program: flags" "$(field flags $program.*.cotree)" $((POOL | FORKED))
    expect "$program: runs" "$(field runs $program.*.cotree) $(field clean $program.*.cotree)" "6 6"
done
