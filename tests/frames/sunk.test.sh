#!/usr/bin/env bash
# A division by zero that the optimiser moved down, over lines that come after it: these ran, as the
# program's own counts of its lines say. The profile says so too, or that it is not exact, within its
# bounds. One that stays in its block is exact.
set -u
cotree=$COTREE_BUILD/cotree shared=$COTREE_TOP/tests/trace
unset COTREE COTREE_RUN COTREE_FILE
export COTREE_FOLLOWER=off
. "$COTREE_TOP/tests/lib/true_words.sh"
ulimit -c 0
failures=0
failed() { echo "$1"; failures=1; }
words='(input_filename | sub(".*json\\."; "")) as $step | "exact \($step) \(.exact)",
    (.files[] | select(.file | endswith("/sunk.c")) | .lines[] | "line \($step) \(.line) \(.count)"),
    (.functions[] | (.max_error // "-") as $m | [.blocks[].lines[].line] | unique[] |
        "error \($step) \(.) \($m)")'

for options in -O2 "-O2 -fcotree-durable" "-O3 -fcotree=trace"; do
    # shellcheck disable=SC2086
    "$cotree" cc -w $options -DTRUTH -I"$shared/programs" "$COTREE_TOP/tests/frames/stopped/sunk.c" -o prog \
        2>log || { failed "$options: $(head -n 2 log)"; continue; }
    rm -rf data; mkdir data
    for which in branch inlined called end; do
        { TRUTH_FILE=data/truth.$which COTREE_FILE=data/file.$which ./prog $which; } >/dev/null 2>&1
        "$cotree" report --format=json -o data/json.$which prog data/file.$which 2>log ||
            failed "$options $which: $(head -n 1 log)"
    done
    true_words data >data/words
    jq -r "$words" data/json.* >>data/words
    awk -v options="$options" '
        $1 == "exact" { exact[$2] = $3 }
        $1 == "truth" { truth[$2, $3] = $4; lines[$3] = 1; runs[$2] = 1 }
        $1 == "line" { count[$2, $3] = $4 }
        $1 == "error" && $4 == "-" { print options ", " $2 ": line " $3 " has no bound"; bad = 1 }
        $1 == "error" && $4 + 0 > error[$2, $3] { error[$2, $3] = $4 }
        END {
            for (r in runs) for (l in lines) {
                off = count[r, l] - truth[r, l]
                if ((off < 0 ? -off : off) <= (exact[r] == "true" ? 0 : error[r, l])) continue
                print options ", " r ": line " l " ran " truth[r, l] + 0 " times, not " count[r, l] + 0
                bad = 1
            }
            if (exact["end"] != "true") { print options ": a division in its block is declared"; bad = 1 }
            if (exact["branch"] != "false") { print options ": the division was not moved"; bad = 1 }
            exit bad
        }' data/words || failures=1
done
exit $failures
