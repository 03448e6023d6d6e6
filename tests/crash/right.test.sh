#!/usr/bin/env bash
# What cores tell is what the programs did: a judge that shares nothing with cotree compares cores made
# at many calls of programs that broke prototypes with what builds without optimisation did there.
set -eu
. "$COTREE_TOP/tests/crash/lib.sh"
[ "$(cat /proc/sys/kernel/core_pattern)" = core ] ||
    { echo "skipped: cores are not written beside the program"; exit 77; }
prepare_judge
levels=${COTREE_LEVELS:+-O0 -O1 -O2 -O3 -Os}
for level in ${levels:--O0 -O2}; do
    for source in "$here"/programs/*.c "$here"/programs/*.cpp; do
        more_sources=
        case $source in
            */pure_extern.c | */coroutine.cpp) continue ;;
            */pure_and_builtin.c | */sunk_calls.c) more_sources=$here/programs/pure_extern.c ;;
        esac
        judge_program "$source" "${STEP:-401}" "$level"
        echo "$(basename "$source") $level: $compared frames so far, $unique unique, $unknown not known"
    done
done
echo "$certain blocks surely ran, $ruled_out were ruled out"
[ "$certain" -gt 1000 ] && [ "$ruled_out" -gt 100 ] || fail "too little is said of blocks"
[ "$compared" -gt 400 ] && [ $((unique * 10)) -gt $((compared * 8)) ] || fail "too little was told"
