#!/usr/bin/env bash
# Threads that work in an endless loop, without calls and branches, when the process ends: each line
# counts as often as the threads began it, and no round more.
set -u
cotree=$COTREE_BUILD/cotree shared=$COTREE_TOP/tests/trace/programs
unset COTREE COTREE_RUN COTREE_FILE
failures=0
fail() { echo "$*"; failures=1; }

cat >prog.c <<'C'
#include "truth.h"
#include <pthread.h>
#include <unistd.h>
enum { THREADS = 2 };
static volatile unsigned sink;
static unsigned step(unsigned x)
{
    T; sink += x;
    T; x += 86u;
    T; return x;
}
static void *works(void *argument)
{
    volatile unsigned budget, number = (unsigned)(long)argument;
    for (;;) {
        T; budget = 50;
        T; sink += step(number);
    }
    return argument;
}
int main(void)
{
    for (long i = 0; i < THREADS; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, works, (void *)i);
    }
    usleep(3000);
    return 0;
}
C
# A thread that stands at a line may not have counted it itself: each of the two may be at one line.
runs=0
for how in "-O1" "-O2 -fcotree=edges,paths,trace" "-O3 -fcotree=edges,trace"; do
    # shellcheck disable=SC2086
    "$cotree" cc -w $how -DTRUTH -DTRUTH_ASSEMBLY -I"$shared" -pthread prog.c -o prog || exit 1
    for i in 1 2 3 4 5 6 7 8; do
        rm -rf data truth; mkdir data
        TRUTH_FILE=truth COTREE_FILE=data/%p.cotree ./prog || fail "$how: ended with $?"
        "$cotree" report --format=json -o json ./prog data 2>said || fail "$how: $(head -n 2 said)"
        od -An -v -t u8 -w8 truth | awk '$1 { print NR - 1, $1 }' >numbers
        jq -r '.files[] | select(.file | endswith("/prog.c")) | .lines[] |
            "\(.line) \(.count) \(.exact)"' json >lines
        awk 'NR == FNR { count[$1] = $2; exact[$1] = $3; next }
            !($1 in count) { print "line " $1 " is not there"; next }
            exact[$1] == "true" && count[$1] < $2 { print "line " $1 ": " count[$1] ", exact, not " $2 }
            exact[$1] == "true" { more += count[$1] - $2 }
            END { if (more > 2) print "lines began " more " times more than they ran, with 2 threads" }' \
            lines numbers >wrong
        [ ! -s wrong ] || fail "$how: $(cat wrong)"
        if grep -q 'true$' lines; then runs=$((runs + 1)); fi
    done
done
[ $runs -ge 12 ] || fail "only $runs of 24 runs say something exact"
exit $failures
