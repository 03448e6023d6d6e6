#!/usr/bin/env bash
# A child of fork that cannot make a file counts in its parent's; nothing is lost.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"
build_exec prog "$HERE/hostile.c"
build_static static "$HERE/hostile.c"
POOL=1 FORKED=64
for program in prog static; do
    CHILDREN=5 ./$program seccomp 0
    expect "$program: one file" "$(ls $program.*.cotree | wc -l)" 1
    expect "$program: counts" "$(sum 5001 $program.*.cotree)" "1 500"
    expect "$program: flags" "$(field flags $program.*.cotree)" $((POOL | FORKED))
    expect "$program: runs" "$(field runs $program.*.cotree) $(field clean $program.*.cotree)" "6 6"
    # Threads of the parent's count there, too. In a sandbox the end of a process with threads says
    # nothing: that one looks cut short.
    rm $program.*.cotree
    CHILDREN=5 ./$program seccomp 3
    expect "$program, threads: one file" "$(ls $program.*.cotree | wc -l)" 1
    expect "$program, threads: counts" "$(sum 5001 $program.*.cotree)" "1 800"
    expect "$program, threads: flags" "$(field flags $program.*.cotree)" $((POOL | FORKED))
    expect "$program, threads: runs" "$(field runs $program.*.cotree) $(field clean $program.*.cotree)" "6 5"
done
