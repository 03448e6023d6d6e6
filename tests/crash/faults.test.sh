#!/usr/bin/env bash
# What cores tell of a frame in which a fault happened is what the program did: accesses fail from
# chosen points on, and builds without optimisation say what was done at each access. Where only one
# of the builds makes the access (several in one, or one of a pair) there is nothing to compare.
set -eu
. "$COTREE_TOP/tests/crash/lib.sh"
[ "$(cat /proc/sys/kernel/core_pattern)" = core ] ||
    { echo "skipped: cores are not written beside the program"; exit 77; }
prepare_judge
export POINT_FAULTS=1
levels=${COTREE_LEVELS:+-O0 -O1 -O2 -O3 -Os}
for level in ${levels:--O0 -O2}; do
    for source in "$here"/faults/*; do
        judge_program "$source" "${STEP:-41}" "$level"
        echo "$(basename "$source") $level: $compared frames so far, $unique unique, $unknown not known, $elsewhere elsewhere"
    done
done
[ "$compared" -gt 200 ] && [ $((unique * 10)) -gt $((compared * 5)) ] || fail "too little was told"
