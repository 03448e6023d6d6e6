#!/usr/bin/env bash
# Frames that handlers of signals leave, whatever they interrupt, jumps that leave frames too, are
# counted exactly: what was entered has returned or was left.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"
build_exec dynamic -O0 -fPIE -pie "$HERE/storm.c"
build_static static -O0 "$HERE/storm.c"
for program in dynamic static; do
    rm -f ./*.cotree
    timeout 600 ./$program 20000 || fail "$program: status $?"
    expect "$program: nothing was lost" "$(field frames_lost ./*.cotree)" 0
    expect "$program: state" "$(states ./*.cotree)" "CLEAN=1"
    { nm $program | sed 's/^/symbol /'; dump ./*.cotree; } |
        awk -v least_interrupted=100 -v least_entered=100000 -f "$HERE/balance.awk" >wrong
    [ ! -s wrong ] || { cat wrong; fail "$program"; }
done
