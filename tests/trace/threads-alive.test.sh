#!/usr/bin/env bash
# Threads that still run when a traced process ends have a bound: what they did behind their last
# event. Functions that they cannot have been in are exact.
set -eu
export COTREE_FOLLOWER=off
cotree=$COTREE_BUILD/cotree
fail() { echo "$*" >&2; exit 1; }
checked=0 bounded=0
for level in -O0 -O2; do
    "$cotree" cc -w $level -DTRUTH -fcotree=trace "$COTREE_TOP/tests/trace/programs/threads-alive.c" \
        -o alive -pthread
    for seed in 1 2 3 4 5 6 7 8; do
        rm -f ./*.cotree*
        TRUTH_FILE=truth ./alive $seed || fail "$level $seed: status $?"
        "$cotree" report --format=json alive alive.*.cotree >report.json
        jq -e '(.exact | not) and
            (.why_not_exact | length == 1 and
            (.[0] | startswith("the run ended while other threads were alive"))) and
            (.functions | any(.name == "main" and .exact))' report.json >/dev/null ||
            fail "$level $seed: $(jq -c '[.why_not_exact, (.functions[] | [.name, .exact, .max_error])]' \
            report.json)"
        bounded=$((bounded + $(jq '[.functions[] | select((.exact | not) and .max_error != null)] | length' report.json)))
        od -An -v -td8 -w8 truth | awk '$1 { print NR - 1, $1 }' >wanted
        jq -r '.functions | sort_by(.line)[] | "\(.line) \(.max_error)"' report.json >functions
        jq -r '.files[] | select(.file | endswith("threads-alive.c")) | .lines[] |
            "\(.line) \(.count) \(.at_least)"' report.json >lines
        awk -v what="$level $seed" 'FILENAME == "functions" { line[++n] = $1; error[n] = $2; next }
            FILENAME == "lines" { count[$1] = $2; least[$1] = $3; next }
            {
                for (f = 0; f < n && line[f + 1] <= $1;)
                    f++
                off = count[$1] > $2 ? count[$1] - $2 : $2 - count[$1]
                if (error[f] != "null" && off > error[f])
                    { print what ": line " $1 " ran " $2 " times, not " count[$1] ", by more than " error[f];
                    wrong = 1 }
                if (least[$1] != "null" && least[$1] > $2)
                    { print what ": line " $1 " ran " $2 " times, not " least[$1] " at least"; wrong = 1 }
                checked += error[f] != "null"
            }
            END { print checked + 0 >"checked"; exit wrong }' functions lines wanted >&2 || exit 1
        checked=$((checked + $(cat checked)))
    done
done
[ $checked -gt 100 ] && [ $bounded -gt 0 ] ||
    fail "only $checked lines have a bound, of $bounded functions that are not exact"

# What such a thread may have done since its last event is not said not to have run.
cat >sleeps.c <<'C'
#include <pthread.h>
#include <unistd.h>
static volatile int begun, n;
__attribute__((noinline)) static void before(void) { n = 2; }
__attribute__((noinline)) static void never(void) { n = 4; }
static void *sleeps(void *no)
{
    before();
    begun = 1;
    usleep(100000000);
    return no;
}
int main(int argc, char **argv)
{
    pthread_t thread;
    pthread_create(&thread, NULL, sleeps, NULL);
    while (!begun)
        usleep(1000);
    if (argc > 1)
        never();
    return 0;
}
C
"$cotree" cc -O1 -fcotree=trace sleeps.c -o sleeps -pthread
COTREE_FILE=s.cotree ./sleeps
"$cotree" report --format=json sleeps s.cotree >report.json
jq -e '[.files[].lines[] | {(.line | tostring): (.count > 0 or .may_have_run == true)}] | add |
    .["4"] and (.["5"] | not)' report.json >/dev/null ||
    fail "a thread that sleeps: $(jq -c '[.files[].lines[]]' report.json)"
