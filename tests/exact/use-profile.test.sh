#!/usr/bin/env bash
# -fcotree-use=FILE: with weights from the run itself the counts stay the same, and no program pays
# more for counting than with guessed weights: an increment each time, and a jump besides where the
# edge needs a block of its own.
set -eu
. "$COTREE_TOP/tests/lib/corpus.sh"
. "$COTREE_TOP/tests/lib/judge.sh"

# empty_blocks SOURCE: what clang's own IR says, before any pass: `FUNCTION blocks N` and `FUNCTION
# empty K` for each block that does nothing but go on. Blocks that exist for the end of scopes only,
# and empty conditions, are no blocks of the graph. Where the number of blocks is another than the
# graph's nothing is known of the function.
empty_blocks() {
    local unit
    for unit in $(corpus_units "$1"); do
        $(corpus_clang "$1") $(corpus_flags "$1") -O2 -fno-discard-value-names -Xclang -disable-llvm-passes \
            -S -emit-llvm "$unit" -o -
    done | awk '
        function settle() {
            if (name == "") return
            if (!(only_goes && name ~ /^(cleanup|for\.cond\.cleanup|while\.cond|do\.cond)[0-9]*$/) &&
                name !~ /^cleanup\.cont[0-9]*$/ && !(switches && name ~ /^cleanup[0-9]*$/)) {
                if (only_goes) print f, "empty", blocks
                blocks++
            }
            name = ""
        }
        /^define/ {
            match($0, /@[^(]*/)
            f = substr($0, RSTART + 1, RLENGTH - 1)
            gsub(/"/, "", f)
            blocks = 0
            inside = 1
            next
        }
        inside && /^}/ { settle(); print f, "blocks", blocks; inside = 0 }
        !inside { next }
        /^[^ ]+:/ { settle(); name = $1; sub(/:.*/, "", name); only_goes = 1; switches = 0; next }
        /^  br label / || / @llvm\.(lifetime|dbg)\./ || /#dbg_/ ||
            /^  store i32 [0-9]+, ptr %cleanup\.dest\.slot/ {
            next
        }
        /^  switch i32 %cleanup\.dest/ { switches = 1 }
        NF { only_goes = 0 }'
}
price() { # PROGRAM: what its counters cost; how many functions it has, and of how many of them the empty blocks are known
    "$cotree" graph "./$1" "$1.data" --function='*' --placement=edges | awk '
        NR == FNR { if ($2 == "blocks") blocks[$1] = $3; else empty[$1, $3] = 1; next }
        # Where the counter of an edge stands there would be no block: a jump is to be made besides.
        function jumps(e,    block) {
            if (in_[to[e]] > 1 && out[from[e]] > 1) return 1
            block = in_[to[e]] == 1 ? to[e] : from[e]
            return known && ((f, block) in empty) && goes[block] + 0 > block + 0
        }
        function settle(    e) {
            for (e = 1; e <= edges; e++) if (counted[e]) price += count[e] * (1 + jumps(e))
            edges = 0; split("", out); split("", in_); split("", goes)
        }
        /^[0-9]+ blocks, / { known = blocks[f] == $1; functions++; judged += known; next }
        /^[^ ]/ && !/^entry$/ { settle(); f = $1; next }
        $1 == "entry" { at = "entry" }
        $2 == "block" { at = $3 }
        $2 == "->" {
            gsub(",", "", $1)
            from[++edges] = at
            to[edges] = $3
            count[edges] = $1
            counted[edges] = $4 ~ /^\[/
            out[at]++
            in_[$3]++
            goes[at] = $3 == "exit" ? 999999 : $3
        }
        END { settle(); printf "%.0f %d %d\n", price, functions, judged }' empty -
}
fewer=0 functions=0 judged=0
for name in $(corpus_names); do
    case $name in cut-* | many-blocks) continue ;; esac
    if corpus_is_cxx "$name"; then continue; fi
    cotree_build "$name" guessed -O2 -fcotree=edges,every-edge || continue
    cotree_run guessed
    "$cotree" merge ./guessed guessed.data -o profile 2>merge.log ||
        { failed "$name: $(cat merge.log)"; continue; }
    # What was merged is what was run.
    "$cotree" report --format=json -o merged.json profile 2>merge.log ||
        failed "$name: merged: $(head -n 2 merge.log)"
    [ "$(jq .exact merged.json)" = true ] ||
        failed "$name: merged, and not exact: $(jq -c .why_not_exact merged.json)"
    cotree_build "$name" weighed -O2 -fcotree=edges,every-edge -fcotree-use=profile || continue
    cotree_run weighed
    for program in guessed weighed; do
        cotree_json $program --check-sets || continue 2
        json_counts $program
        if [ -s $program.why ]; then failed "$name $program: not exact: $(head -c 600 $program.why)"; fi
    done
    same "$name: counts with -fcotree-use" guessed.counts weighed.counts || :
    empty_blocks "$name" >empty
    read -r before all known <<<"$(price guessed)"
    read -r after all known <<<"$(price weighed)"
    functions=$((functions + all)) judged=$((judged + known))
    if [ "$before" -le 0 ]; then failed "$name: costs nothing"; fi
    if [ "$after" -gt "$before" ]; then
        failed "$name: pays $before with guessed weights, $after with measured ones"
    fi
    if [ "$after" -lt "$before" ]; then fewer=$((fewer + 1)); fi
    rm -rf guessed* weighed* profile empty
done
# Guesses are not always the best there is.
[ $fewer -gt 5 ] || failed "only $fewer programs pay less"
# Nor are there many functions whose blocks clang and the graph see differently.
[ $functions -gt 100 ] && [ $((judged * 100)) -ge $((functions * 90)) ] ||
    failed "empty blocks are known of $judged of $functions functions only"
finish
