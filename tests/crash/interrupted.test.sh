#!/usr/bin/env bash
# A frame that a signal interrupted anywhere tells a way that was gone, and never another one. How far
# the program was, a counter in it says; a build without optimisation says which stacks there were then.
set -eu
. "$COTREE_TOP/tests/crash/lib.sh"
[ "$(cat /proc/sys/kernel/core_pattern)" = core ] ||
    { echo "skipped: cores are not written beside the program"; exit 77; }
prepare_judge
export POINT_STEP=${STEP:-17} POINTS_MOST=${MOST:-30}
levels=${COTREE_LEVELS:+-O0 -O1 -O2 -O3 -Os}
for level in ${levels:--O0 -O2}; do
    for source in "$here"/interrupted/*.c; do
        judge_interrupted "$source" "$level"
        echo "$(basename "$source") $level: $compared frames so far, $unique unique, $unknown not known, $elsewhere elsewhere"
    done
done
[ "$compared" -gt 20 ] || fail "too little was compared"
