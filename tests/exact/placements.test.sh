#!/usr/bin/env bash
# Every placement of block counters (union-find, the paper's Figure 11, Knuth and Stevenson's) gives the counts of a counter on every block in the
# same binary. Each program is built with each of them, at one level or another.
set -eu
. "$COTREE_TOP/tests/lib/corpus.sh"
. "$COTREE_TOP/tests/lib/judge.sh"
levels=(-O2 -O0 -O3 -Os -O1)
n=0
for name in $(corpus_names); do
    case $name in cut-* | many-blocks) continue ;; esac
    for placement in blocks figure-11 knuth; do
        n=$((n + 1))
        level=${levels[n % 5]}
        program=$name-$placement
        cotree_build "$name" "$program" $level -fcotree=blocks,every-block -fcotree-placement=$placement || continue
        cotree_run "$program"
        cotree_json "$program" --check-sets || continue
        why=$(why_not_exact "$program")
        if [ -n "$why" ]; then failed "$name $level $placement: not exact: ${why:0:600}"; fi
        # It is the placement that was asked for, and something was counted.
        mode=$(jq -r .mode "$program.json")
        if [ "$mode" != "$placement,every-block" ]; then failed "$name $level $placement: the counters are $mode"; fi
        jq -e '[.functions[] | select(.entries != null and .entries > 0)] | length > 0' "$program.json" >nothing ||
            failed "$name $level $placement: nothing was counted"
        json_blocks "$program"
        mv "$program.blocks" "$name.$placement.counted"
        if [ $placement != blocks ] && [ "$(listed "$name")" = "" ] && ! corpus_is_cxx "$name"; then
            same "$name: blocks by $placement" "$name.blocks.counted" "$name.$placement.counted" || :
        fi
    done
    rm -rf "${name:?}"[-.]*
done
finish
