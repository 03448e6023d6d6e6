#!/usr/bin/env bash
# Every placement of block counters (union-find, the paper's Figure 11, Knuth and Stevenson's) gives
# the counts of a counter on every block in the same binary. Each program is built with all of them
# at one level or another; a few are built with each of them alone, by -fcotree-placement.
set -eu
. "$COTREE_TOP/tests/lib/corpus.sh"
. "$COTREE_TOP/tests/lib/judge.sh"
levels=(-O2 -O0 -O3 -Os -O1)

# check NAME PROGRAM LEVEL MODE FLAG...: builds and runs it; the sets it has are those of MODE, and
# say the same.
check() {
    local name=$1 program=$2 level=$3 expected=$4
    shift 4
    cotree_build "$name" "$program" "$level" "$@" || return 1
    cotree_run "$program"
    cotree_json "$program" --check-sets || return 1
    jq -r --arg program "$program" --arg expected "$expected" "$why_not_exact"'
        "not exact: \(why($program))",
        if .mode == $expected then empty else "the counters are \(.mode)" end,
        if any(.functions[]; (.entries // 0) > 0) then empty else "nothing was counted" end' "$program.json" \
            >wrong
    if [ -s wrong ]; then failed "$name $level $expected: $(head -c 600 wrong)"; fi
}

n=0 programs=0
for name in $(corpus_names); do
    case $name in cut-* | many-blocks) continue ;; esac
    n=$((n + 1)) programs=$((programs + 1))
    check "$name" "$name-all" "${levels[n % 5]}" blocks,figure-11,knuth,every-block \
        -fcotree=blocks,figure-11,knuth,every-block || :
    if [ $((programs % 8)) = 0 ]; then
        for placement in blocks figure-11 knuth; do
            n=$((n + 1))
            check "$name" "$name-$placement" "${levels[n % 5]}" "$placement,every-block" \
                -fcotree=blocks,every-block -fcotree-placement=$placement || continue
            json_blocks "$name-$placement"
            mv "$name-$placement.blocks" "$name.$placement.counted"
            if [ $placement != blocks ] && [ "$(listed "$name")" = "" ] && ! corpus_is_cxx "$name"; then
                same "$name: blocks by $placement" "$name.blocks.counted" "$name.$placement.counted" || :
            fi
        done
    fi
    rm -rf "${name:?}"[-.]*
done
finish
