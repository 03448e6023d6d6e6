#!/usr/bin/env bash
# -fcotree-use=FILE: with weights from the run itself the counts stay the same, and no program executes more increments than with guessed weights.
set -eu
. "$COTREE_TOP/tests/lib/corpus.sh"
. "$COTREE_TOP/tests/lib/judge.sh"

increments() { # PROGRAM: how often its counters were raised
    "$cotree" graph "./$1" "$1.data" --function='*' --placement=edges | awk '/ \[[0-9]+\]$/ { gsub(",", "", $1); n += $1 } END { printf "%.0f\n", n }'
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
    before=$(increments guessed) after=$(increments weighed)
    if [ "$before" -le 0 ]; then failed "$name: no increments"; fi
    if [ "$after" -gt "$before" ]; then failed "$name: $before increments with guessed weights, $after with measured ones"; fi
    if [ "$after" -lt "$before" ]; then fewer=$((fewer + 1)); fi
    rm -rf guessed* weighed* profile
done
# Guesses are not always the best there is.
[ $fewer -gt 5 ] || failed "only $fewer programs have fewer increments"
finish
