#!/usr/bin/env bash
# A fault in a round of a loop that was unrolled is in that round: its trace has the line counts that
# are true (the program counts them itself), and is exact.
set -u
cotree=$COTREE_BUILD/cotree shared=$COTREE_TOP/tests/trace/programs
export COTREE_FOLLOWER=off
. "$COTREE_TOP/tests/lib/true_words.sh"
ulimit -c 0
failures=0
words='(input_filename | sub(".*json\\."; "")) as $step | "exact \($step) \(.exact)",
    (.files[] | select(.file | endswith("/copies.c")) | .lines[] | "line \($step) \(.line) \(.count)")'

for level in -O2 "-O3 -DTRUTH_ASSEMBLY"; do
    # shellcheck disable=SC2086
    "$cotree" cc -w $level -fcotree=trace -DTRUTH "$shared/copies.c" -o prog 2>log ||
        { echo "$level: $(head -n 2 log)"; failures=1; continue; }
    rm -rf data; mkdir data
    for which in d l s S D e; do
        for round in 0 1 4 7; do
            {
                TRUTH_FILE=data/truth.$which$round COTREE_FILE=data/file.$which$round ./prog $which $round
            } >/dev/null 2>&1
            "$cotree" report --format=json -o "data/json.$which$round" prog "data/file.$which$round" 2>log ||
                { echo "$level $which $round: $(head -n 1 log)"; failures=1; }
        done
    done
    true_words data >data/words
    jq -r "$words" data/json.* >>data/words
    awk -v level="$level" '
        $1 == "exact" { runs++; if ($3 != "true") { print level ", " $2 ": is not exact"; bad = 1 } }
        $1 == "truth" { truth[$2, $3] = $4; of_truth[$3] = 1 }
        $1 == "line" { count[$2, $3] = $4; all[$2, $3] = 1 }
        END {
            for (k in truth) all[k] = 1
            for (k in all) {
                split(k, at, SUBSEP)
                if (!of_truth[at[2]] || count[k] + 0 == truth[k] + 0) continue
                print level ", " at[1] ": line " at[2] " ran " truth[k] + 0 " times, not " count[k] + 0
                bad = 1
            }
            if (runs != 24) print level ": " runs + 0 " runs"
            exit bad || runs != 24
        }' data/words || failures=1
done
exit $failures
