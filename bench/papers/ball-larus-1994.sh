#!/usr/bin/env bash
# Ball & Larus, "Optimally profiling and tracing programs", 1994, section 6: Tables I to III,
# Figures 19 to 22, 24 and 25, and the variations of section 6.4. Run by bench/papers/run.
#
# Counts: each program is built once with all counter sets, does its work, and
# bench/papers/placements computes from the counts of all edges what every placement would have
# executed; of the sets it has, that must be what its counters say. Costs: separate builds, by
# bench/run.
set -eu
. "$(cd "$(dirname "$0")" && pwd)/../../tests/programs/lib.sh"
cotree=$COTREE_BUILD/cotree
placements=$COTREE_BUILD/bench/papers/placements
trees=$PROGRAMS_CACHE/bench
sets=every-edge,edges,blocks,figure-11,knuth,every-block
results=$out/ball-larus-1994
mkdir -p "$results" "$trees/sets"
make --no-print-directory -s -C "$top" B="$COTREE_BUILD" "$placements" "$COTREE_BUILD/bench/planning"

# count_one NAME: the output of placements, summed over the recipe's programs, in $results/NAME.tsv.
count_one() {
    local name=$1 dir=$trees/sets/$1 stage=$trees/sets/$1.stage result=$results/$1.tsv key file start=$SECONDS
    key=$(cat "$cotree" "$COTREE_BUILD"/lib/cotree/* "$placements" "$RECIPES/$name".* \
        "$PROGRAMS_CACHE/src/$name.version" | sha256sum)
    [ "$(cat "$result.key" 2>/dev/null)" != "$key" ] || return 0
    rm -rf "$dir" "$result.key"
    cp -a "$trees/configured/$name" "$dir"
    : >"$dir.log"
    program_compile "$name" "$dir" "$cotree cc -fcotree=$sets -fcotree-plan=source" \
        "$cotree c++ -fcotree=$sets -fcotree-plan=source" ||
        { echo "papers: $name: compile failed, see $dir.log" >&2; return 1; }
    program_stage "$name" "$dir" "$stage"
    program_work "$name" "$stage" "" "COTREE_FILE=$stage/%e.%p.cotree" >"$dir.run" 2>&1 ||
        { echo "papers: $name: the work failed, see $dir.run" >&2; return 1; }
    rm -f "$results/$name".*.part
    for file in $(program_files "$name"); do
        file=${file##*/}
        "$placements" --check "$stage/$file" "$stage/$file".*.cotree >"$results/$name.$file.part" ||
            { echo "papers: $name: $file failed" >&2; return 1; }
    done
    awk -F '\t' -v OFS='\t' '
        {
            k = $1 OFS $2
            if (!(k in seen)) { seen[k] = ++n; key[n] = k; fields[n] = NF }
            for (i = 3; i <= NF; i++) sum[k, i] += $i
        }
        END {
            for (j = 1; j <= n; j++) {
                line = key[j]
                for (i = 3; i <= fields[j]; i++) line = line OFS sum[key[j], i]
                print line
            }
        }' \
        "$results/$name".*.part >"$result"
    echo "$key" >"$result.key"
    rm -rf "$stage"
    echo "$name: counted, $(grep -c ^built "$result") counter sets as computed ($((SECONDS - start)) s)" >&2
}

list=$(echo $names | tr ' ' ,)
# it also configures
"$top/bench/run" --programs="$list" --columns=plain --jobs="$jobs" --no-compile >/dev/null
for name in $names; do count_one "$name"; done
"$top/bench/run" --programs="$list" --columns=every-block,edges,use,knuth,fair --jobs="$jobs" $compile \
    >"$results/costs.txt"
cp "$COTREE_BUILD/bench/results.tsv" "$results/costs.tsv"

key=$(cat "$COTREE_BUILD/bench/planning" | sha256sum)
if [ "$(cat "$results/planning.key" 2>/dev/null)" != "$key" ]; then
    "$COTREE_BUILD/bench/planning" >"$results/planning.txt"
    echo "$key" >"$results/planning.key"
fi

for name in $names; do sed "s/^/$name\t/" "$results/$name.tsv"; done >"$results/counts.tsv"
rm -f "$results"/*.bars
awk -v bars="$results" -f "$top/bench/papers/ball-larus-1994.awk" "$results/planning.txt" \
    "$results/costs.tsv" "$results/counts.tsv" >"$out/ball-larus-1994.md"
figure() { # NAME TITLE AXIS [BASE]
    awk -v title="$2" -v axis="$3" -v base="${4:-0}" -f "$top/bench/papers/bars.awk" "$results/$1.bars" \
        >"$figures/ball-larus-1994-$1.svg"
}
figure 19 "Figure 19: instructions executed, plain build = 1" \
    "instructions / instructions of the plain build" 1
figure 20 "Figure 20: counters in every block / counters of a spanning tree's chords" "times fewer"
figure 21 "Figure 21: instrumentation of every block / that of the placement" \
    "times fewer (5 an increment, 1 a jump)"
figure 24 "Figure 24: increments of counters in every block / those of the spanning tree" "times fewer"
figure 25 "Figure 25: instructions executed with guessed and with measured weights" \
    "instructions / instructions of the plain build" 1

"$top/bench/papers/ball-larus-1994-traces.sh"
cat "$out/ball-larus-1994-traces.md" >>"$out/ball-larus-1994.md"
