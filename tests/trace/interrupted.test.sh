#!/usr/bin/env bash
# Programs that signals interrupt at times of their own, and that die, exit or jump out of the
# handler: no line has lost a round, and what is declared covers the rest. programs/truth.h counts
# what is true; a line that control has come to is counted, though its `T` may not have run, once
# for each interruption. A program that dies of a fault has run the lines up to it, and no other.
set -u
cotree=$COTREE_BUILD/cotree programs=$COTREE_TOP/tests/trace/programs
export COTREE_FOLLOWER=off
ulimit -c 0
failures=0
failed() { echo "$*"; failures=1; }
build() { # PROGRAM FLAG...
    "$cotree" cc -w -DTRUTH "${@:2}" "$programs/$1.c" -o "$1" 2>log ||
        { failed "$*: $(head -n 2 log)"; return 1; }
}
# judge PROGRAM INTERRUPTIONS [OPTION]: what file says, and truth
judge() {
    "$cotree" report ${3-} --format=json -o json "$1" file 2>log ||
        { failed "$1: report ends with $?: $(head -n 1 log)"; return; }
    {
        od -An -v -td8 -w8 truth | awk '$1 { print "truth " NR - 1 " " $1 }'
        jq -r --arg own "/$1.c" \
            '"exact \(.exact)",
                (.files[] | select(.file | endswith($own)) | .lines[] | "line \(.line) \(.count)"),
            (.functions[] | (.max_error // "-") as $m | [.blocks[].lines[].line] | unique[] |
                "error \(.) \($m)")' json
    } | awk -v name="$name" -v most="$2" '
        $1 == "truth" { truth[$2] = $3; seen++ }
        $1 == "exact" { exact = $2 }
        $1 == "line" { count[$2] = $3 }
        $1 == "error" { if ($3 == "-" || error[$2] == "-") error[$2] = "-"; else if ($3 > error[$2])
            error[$2] = $3 }
        END {
            for (l in truth) {
                e = exact == "true" ? 0 : error[l]
                if (e == "-" || (count[l] + e >= truth[l] && count[l] <= truth[l] + e + most)) continue
                print name ": line " l " ran " truth[l] " times, by its trace " count[l] " (exact: " exact ", off by " e " at most)"
                bad = 1
            }
            exit bad || !seen
        }' || failures=1
}
for level in ${TRACE_LEVELS:--O0 -O2}; do
    build interrupted-once "$level" -fcotree=trace && cp interrupted-once once
    for run in 1 2 3 4 5 6; do
        name="interrupted-once $level $run"
        rm -f truth file*
        { TRUTH_FILE=truth COTREE_FILE=file ./once $((run % 3)) "$run" >output 2>&1; } 2>log
        judge interrupted-once 1
    done
    for program in trj sigstorm; do
        name="$program $level"
        build $program "$level" -fcotree=trace || continue
        rm -f truth file*
        TRUTH_FILE=truth COTREE_FILE=file timeout 120 ./$program >output 2>&1 || failed "$name: status $?"
        judge $program 800
    done
    build crash-lines "$level" -fcotree=trace || continue
    rm -f file*
    { COTREE_FILE=file ./crash-lines >output 2>&1; } 2>log
    "$cotree" report --format=json crash-lines file >json
    jq -c '[.exact, (.files[].lines[] | select(.count > 0) | .line)]' json >got
    echo '[true,3,5,6]' | cmp -s - got || failed "crash-lines $level: $(cat got)"
    "$cotree" trace --list --no-source crash-lines file >list
    grep -q 'crash-lines.c:3,5,6$' list || failed "crash-lines $level: the list shows $(tail -n 1 list)"
done
# Where traces and counters differ, the profile says so.
build interrupted-once -O1 -fcotree=trace,every-edge
for run in 1 2 3 4 5 6; do
    name="interrupted-once -O1 with counters $run"
    rm -f truth file*
    { TRUTH_FILE=truth COTREE_FILE=file ./interrupted-once $((run % 3)) "$run" >output 2>&1; } 2>log
    judge interrupted-once 1 --check-sets
    if [ -s log ] && jq -e '.exact' json >output; then failed "$name: exact, and yet $(head -n 1 log)"; fi
done
exit $failures
