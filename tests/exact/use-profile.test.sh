#!/usr/bin/env bash
# -fcotree-use=FILE: with weights from the run itself the counts stay the same, and no program pays more for counting than with guessed weights: an
# increment each time, and a jump besides where the edge needs a block of its own.
set -eu
. "$COTREE_TOP/tests/lib/corpus.sh"
. "$COTREE_TOP/tests/lib/judge.sh"

price() { # PROGRAM: what its counters cost
    "$cotree" graph "./$1" "$1.data" --function='*' --placement=edges | awk '
        # Where the counter of an edge stands there would be no block: a jump is to be made besides.
        function jumps(e,    block) {
            if (in_[to[e]] > 1 && out[from[e]] > 1) return 1
            block = in_[to[e]] == 1 ? to[e] : from[e]
            return nothing[block] && goes[block] + 0 > block + 0
        }
        function settle(    e) {
            for (e = 1; e <= edges; e++) if (counted[e]) price += count[e] * (1 + jumps(e))
            edges = 0; split("", out); split("", in_); split("", nothing); split("", goes)
        }
        /^[^ ]/ && !/^entry$/ { settle() }
        $1 == "entry" { at = "entry" }
        $2 == "block" { at = $3; nothing[at] = / [|] (continue|break|goto [a-z_0-9]+);/ }
        $2 == "->" {
            gsub(",", "", $1)
            from[++edges] = at; to[edges] = $3; count[edges] = $1; counted[edges] = $4 ~ /^\[/; out[at]++; in_[$3]++
            goes[at] = $3 == "exit" ? 999999 : $3
        }
        END { settle(); printf "%.0f\n", price }'
}
fewer=0
for name in $(corpus_names); do
    case $name in cut-* | many-blocks) continue ;; esac
    if corpus_is_cxx "$name"; then continue; fi
    cotree_build "$name" guessed -O2 -fcotree=edges,every-edge || continue
    cotree_run guessed
    "$cotree" merge ./guessed guessed.data -o profile 2>merge.log || { failed "$name: $(cat merge.log)"; continue; }
    cotree_build "$name" weighed -O2 -fcotree=edges,every-edge -fcotree-use=profile || continue
    cotree_run weighed
    for program in guessed weighed; do
        cotree_json $program --check-sets || continue 2
        why=$(why_not_exact $program)
        if [ -n "$why" ]; then failed "$name $program: not exact: ${why:0:600}"; fi
        json_counts $program
    done
    same "$name: counts with -fcotree-use" guessed.counts weighed.counts || :
    before=$(price guessed) after=$(price weighed)
    if [ "$before" -le 0 ]; then failed "$name: costs nothing"; fi
    if [ "$after" -gt "$before" ]; then failed "$name: pays $before with guessed weights, $after with measured ones"; fi
    if [ "$after" -lt "$before" ]; then fewer=$((fewer + 1)); fi
    rm -rf guessed* weighed* profile
done
# Guesses are not always the best there is.
[ $fewer -gt 5 ] || failed "only $fewer programs pay less"
finish
