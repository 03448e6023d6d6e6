#!/usr/bin/env bash
# A load that the scheduler moves in its block, or one of an unrolled loop, faults where it is: what
# the program did until then is what the plain one did at -O0, which counts it itself.
set -u
cotree=$COTREE_BUILD/cotree source=$COTREE_TOP/tests/frames/stopped/moved-loads.c
unset COTREE COTREE_RUN COTREE_FILE
. "$COTREE_TOP/tests/lib/true_words.sh"
ulimit -c 0
failures=0
failed() { echo "$1"; failures=1; }
same="-fwrapv -fno-strict-aliasing"
mkdir data
# shellcheck disable=SC2086
"clang-$LLVM" -w -O0 $same -DTRUTH -I"$COTREE_TOP/tests/trace/programs" "$source" -o plain || exit 1
for bad in $(seq 0 32); do
    TRUTH_FILE=data/truth.$bad ./plain "$bad" >"said.$bad" 2>/dev/null
    echo $? >>"said.$bad"
done 2>/dev/null
true_words data >truth
[ "$(grep -lx 139 said.* | wc -l)" -gt 20 ] || failed "faults in $(grep -lx 139 said.* | wc -l) of 33 runs"
[ "$(tail -n 1 said.32)" = 0 ] || failed "without a bad index the program ends with $(tail -n 1 said.32)"
words='(input_filename | sub(".*json\\."; "")) as $bad |
    .files[] | select(.file | endswith("moved-loads.c")).lines[] |
    "line \($bad) \(.line) \(.count) \(.exact)"'
judge() { # LEAST OPTIONS...: so much of all counts is to be exact
    local bad least=$1
    shift
    rm -f json.* f.*
    # shellcheck disable=SC2086
    "$cotree" cc -w $same "$@" "$source" -o prog || { failed "$*: does not compile"; return; }
    for bad in $(seq 0 3 32) 32; do
        COTREE_FILE=f.$bad ./prog "$bad" >now 2>/dev/null
        echo $? >>now
        cmp -s now "said.$bad" || failed "$*, $bad: $(tail -n 1 now), not $(tail -n 1 "said.$bad")"
        "$cotree" report --format=json -o "json.$bad" prog "f.$bad" || failed "$*, $bad: report ends with $?"
    done 2>/dev/null
    jq -r "$words" json.* >lines
    awk -v what="$*" -v least="$least" '
        FILENAME == "truth" { truth[$2, $3] = $4; next }
        FILENAME != "lines" { line++; if (/^ *T; /) judged[line] = 1; next }
        judged[$3] && $5 == "true" && $4 != truth[$2, $3] + 0 {
            print what ", bad " $2 ": line " $3 " ran " truth[$2, $3] + 0 " times, not " $4
            wrong = 1
        }
        judged[$3] { exact += $5 == "true"; all++ }
        END {
            if (all >= 90 && exact >= all * least)
                exit wrong
            print what ": of " all + 0 " counts " exact + 0 " are exact"
            exit 1
        }' truth "$source" lines || failures=1
}
judge 0.8 -O2
judge 0.8 -O3
judge 0.9 -O2 -fcotree=trace
judge 0.9 -O3 -fcotree=trace
judge 0.2 -O2 -fcotree=paths
exit $failures
