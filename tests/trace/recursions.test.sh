#!/usr/bin/env bash
# A recursion that is stopped while it returns, by a fault, in a call, by a signal or a
# cancellation, passes one place once for each activation: the trace ends in the activation that the
# stack says. A function that does nothing but call itself may have one frame for all rounds: then
# they are declared, or known. TRACE_LEVELS: at which levels.
set -u
cotree=$COTREE_BUILD/cotree programs=$COTREE_TOP/tests/trace/programs
export COTREE_FOLLOWER=off
ulimit -c 0
failures=0 known=0
failed() { echo "$*"; failures=1; }
# run NAME PROGRAM WANTED KIND [DEPTH]: its line counts, and exact if that is wanted
run() {
    local name=$1 program=$2 wanted=$3
    rm -f truth file*
    { TRUTH_FILE=truth COTREE_FILE=file "./$program" "${@:4}" >output 2>&1; } 2>log
    "$cotree" report --format=json -o json "$program" file 2>log ||
        { failed "$name: report ends with $?: $(head -n 1 log)"; return; }
    known=$((known + $(jq 'if .exact then 1 else 0 end' json)))
    [ "$wanted" = any ] || [ "$(jq .exact json)" = true ] || failed "$name: $(jq -c .why_not_exact json)"
    {
        od -An -v -td8 -w8 truth | awk '$1 { print "truth " NR - 1 " " $1 }'
        jq -r '"exact \(.exact)",
            (.files[] | select(.file | test("/recursions[.]")) | .lines[] | "line \(.line) \(.count)"),
            (.functions[] | (.max_error // "-") as $m | [.blocks[].lines[].line] | unique[] |
                "error \(.) \($m)")' json
    } | awk -v name="$name" '
        $1 == "truth" { truth[$2] = $3; seen++ }
        $1 == "exact" { exact = $2 }
        $1 == "line" { count[$2] = $3 }
        $1 == "error" { if ($3 == "-" || error[$2] == "-") error[$2] = "-"; else if ($3 > error[$2])
            error[$2] = $3 }
        END {
            for (l in truth) {
                e = exact == "true" ? 0 : error[l]
                if (e == "-" || (count[l] + e >= truth[l] && count[l] <= truth[l] + e)) continue
                print name ": line " l " ran " truth[l] " times, by its trace " count[l] " (exact: " exact ", off by " e " at most)"
                bad = 1
            }
            exit bad || !seen
        }' || failures=1
}
cp "$programs/recursions.c" recursions.c; cp "$programs/recursions.c" recursions.cpp; cp "$programs/truth.h" .
for level in ${TRACE_LEVELS:--O0 -O1 -O2}; do
    "$cotree" cc -w "$level" -DTRUTH -fcotree=trace recursions.c -o c 2>log ||
        failed "$level: $(head -n 2 log)"
    "$cotree" c++ -w "$level" -DTRUTH -fcotree=trace recursions.cpp -o c++ 2>log ||
        failed "$level: $(head -n 2 log)"
    for kind in b B h H o M; do
        run "$level $kind 3" c exact $kind 3
        run "$level $kind 0" c exact $kind 0
    done
    for kind in B O m w c; do run "$level, C++, $kind" c++ exact $kind 2; done
    for kind in r f; do run "$level $kind" c exact $kind; done
    for kind in a A p s; do
        case $level in -O0) run "$level $kind" c exact $kind ;; *) run "$level $kind" c any $kind ;; esac
    done
done
# Counters know the same, and nothing is to be declared.
"$cotree" cc -w -O1 -DTRUTH -fcotree=trace,every-edge recursions.c -o sets 2>log ||
    failed "sets: $(head -n 2 log)"
for kind in b B o M w; do
    run "with counters, $kind" sets exact $kind 3
    "$cotree" report --check-sets --format=json -o json sets file 2>log ||
        failed "with counters, $kind: report --check-sets ends with $?"
    if grep difference log; then failed "with counters, $kind: exact, and yet the trace differs"; fi
done
[ $known -gt 40 ] || failed "only $known are exact"
exit $failures
