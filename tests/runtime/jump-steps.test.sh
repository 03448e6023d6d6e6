#!/usr/bin/env bash
# A jump over frames that were left before is interrupted at every one of its instructions, by a
# handler that jumps out of it, jumps itself or forks: what was entered has returned or was left.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"
build_exec dynamic -O0 -fPIE -pie "$HERE/jump_steps.c"
build_exec optimised -O1 -fPIE -pie "$HERE/jump_steps.c"
build_static static -O1 "$HERE/jump_steps.c"
balance() { # WHAT
    expect "$1: nothing was lost" "$(field frames_lost ./*.cotree)" 0
    { nm "${1%% *}" | sed 's/^/symbol /'; dump ./*.cotree; } |
        awk -v least_interrupted=0 -v least_entered=200 -f "$HERE/balance.awk" >wrong
    [ ! -s wrong ] || { cat wrong; fail "$1"; }
}
for program in dynamic optimised static; do
    for way in out inside fork; do
        rm -f ./*.cotree
        COTREE_FILE=%m timeout 600 ./$program $way >out || fail "$program $way: status $?"
        balance "$program $way"
        # Walking six frames takes more than a thousand: the frames were recognised.
        read -r steps _ <out
        [ "$steps" -gt 100 ] && [ "$steps" -lt 500 ] || fail "$program $way: $steps instructions"
    done
done
# So many frames are not recognised together, but each of them is.
for program in dynamic optimised; do
    rm -f ./*.cotree
    COTREE_FILE=%m timeout 600 ./$program out 50 13 >out || fail "$program, deep: status $?"
    balance "$program deep"
    read -r steps _ <out
    [ "$steps" -gt 500 ] && [ "$steps" -lt 4500 ] || fail "$program, deep: $steps instructions"
done
