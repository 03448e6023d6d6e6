#!/usr/bin/env bash
# Threads and handlers that interrupt code of libraries share streams, one after the other: each
# goes on where the one before really ended.
set -eu
cotree=$COTREE_BUILD/cotree
export COTREE_FOLLOWER=off
fail() { echo "$*" >&2; exit 1; }

cat >prog.cpp <<'C'
#include <cstdio>
#include <csignal>
#include <pthread.h>
#include <sys/time.h>
static volatile long hits;
static int deep(int x) { return x < 2 ? x : deep(x - 1) + deep(x - 2); }
static void tick(int) { hits += deep(3); }
static int odd(int k)
{
    if (k % 3 == 0)
        throw k;
    return k;
}
static void *shortly(void *)
{
    long s = 0;
    for (int i = 0; i < 20; i++)
        try {
            s += odd(i);
        } catch (int k) {
            s -= k;
        }
    return (void *)s;
}
static void *makes_threads(void *)
{
    long sum = 0;
    for (int i = 0; i < 15; i++) {
        pthread_t thread;
        void *result;
        pthread_create(&thread, nullptr, shortly, nullptr);
        sum += deep(12);
        pthread_join(thread, &result);
        sum += (long)result;
    }
    return (void *)sum;
}
int main()
{
    itimerval often = {{0, 500}, {0, 500}};
    signal(SIGALRM, tick);
    setitimer(ITIMER_REAL, &often, nullptr);
    pthread_t threads[4];
    long sum = 0;
    for (pthread_t &thread : threads)
        pthread_create(&thread, nullptr, makes_threads, nullptr);
    for (pthread_t &thread : threads) {
        void *result;
        pthread_join(thread, &result);
        sum += (long)result;
    }
    printf("%ld\n", sum);
    return 0;
}
C
"$cotree" c++ -O2 -fcotree=trace prog.cpp -pthread -o prog
for round in 1 2 3 4 5 6 7 8 9 10; do
    COTREE_FILE=$round.cotree ./prog >out
    [ "$(cat out)" = 12480 ] || fail "round $round: $(cat out)"
    "$cotree" trace prog $round.cotree >summary || fail "round $round: $(cat summary)"
    grep -q 'complete: nothing that was written is lost' summary || fail "round $round: $(cat summary)"
done
# Packed, every thread and every handler has the same row; and windows are those of threads: each
# that ran has a last block.
rows() {
    sed -nE '/^  [0-9]+(, signal [0-9]+)? /s/^  ([0-9]+(, signal [0-9]+)?) +([0-9,]+) +([0-9,]+) +([0-9,]+) +[0-9,]+ +[0-9.-]+  (.*)/\1: \3 \4 \5 \6/p' "$1"
}
rows summary >wanted
[ "$(grep -vc signal wanted)" -ge 65 ] || fail "only $(grep -vc signal wanted) rows of threads"
"$cotree" trace --pack 10.cotree
"$cotree" trace prog 10.cotree >summary
rows summary | cmp - wanted || fail "packed: $(rows summary | diff - wanted | head -n 4)"
"$cotree" trace --export=blocks --last=1 prog 10.cotree >last
[ "$(grep '^thread' last | cut -d ' ' -f 2 | sort -u | wc -l)" = \
    "$(sed 's/[:,].*//' wanted | sort -u | wc -l)" ] || fail "--last=1 shows $(grep -c '^thread' last) turns"
# A run is equal to itself, thread by thread, whatever streams they wrote.
"$cotree" trace --compare prog 9.cotree 9.cotree >same || fail "$(cat same)"
[ "$(grep -c '^thread [0-9]*: equal, ' same)" -ge 65 ] || fail "$(cat same)"
echo 'ten runs of threads and handlers are complete'
