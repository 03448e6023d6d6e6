#!/usr/bin/env bash
# A loop without calls keeps its place in a register: handlers find it at once however long the loop
# has run, and whatever a follower has taken out; and handlers that run while the process ends do
# not spoil what it leaves.
set -eu
cotree=$COTREE_BUILD/cotree
fail() { echo "$*" >&2; exit 1; }

cat >loop.h <<'C'
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
__attribute__((noinline)) static unsigned loop(unsigned long n)
{
    unsigned x = 1;
    for (unsigned long i = 0; i < n; i++)
        if (x & 1)
            x = x * 1664525 + 1013904223;
        else
            x = x >> 1 ^ 0x80200003;
    return x;
}
C
cat >ticks.c <<'C'
#include "loop.h"
static void tick(int number)
{
    (void)number;
}
int main(void)
{
    const struct itimerval often = {{0, 300}, {0, 300}};
    signal(SIGALRM, tick);
    setitimer(ITIMER_REAL, &often, NULL);
    printf("%u\n", loop(3000000));
    return 0;
}
C
cat >jumps.c <<'C'
#include "loop.h"
static sigjmp_buf place;
static void jump(int number)
{
    (void)number;
    siglongjmp(place, 1);
}
__attribute__((noinline)) static int behind(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        if (i % 3)
            s += i;
    return s;
}
int main(void)
{
    const struct itimerval later = {.it_value = {0, 350000}};
    volatile int s = 0;
    signal(SIGALRM, jump);
    for (volatile int i = 0; i < 2; i++) {
        if (sigsetjmp(place, 1)) {
            s += behind(10 + i);
            continue;
        }
        setitimer(ITIMER_REAL, &later, NULL);
        loop(1ul << 40);
    }
    printf("%d\n", s);
    return 0;
}
C

# Once a store's place is looked for byte by byte, the program makes no progress.
"$cotree" cc -O2 -fcotree=trace ticks.c -o ticks
COTREE_FILE=ticks.cotree COTREE_FOLLOWER=off timeout 600 ./ticks >out || fail "ticks: status $?"
[ "$(cat out)" = 3871160614 ] || fail "ticks: $(cat out)"
"$cotree" trace ticks ticks.cotree >summary
grep -q 'complete: nothing that was written is lost' summary || fail "ticks: $(cat summary)"
grep -q 'signal 14 .*handlers' summary || fail "no handler ran: $(cat summary)"
grep -q 'cut short' summary && fail "ticks: $(cat summary)"

"$cotree" cc -O2 -fcotree=trace jumps.c -o jumps
COTREE_FILE=jumps.cotree COTREE_FOLLOWER=$cotree timeout 600 ./jumps >out || fail "jumps: status $?"
[ "$(cat out)" = 64 ] || fail "jumps: $(cat out)"
"$cotree" trace jumps jumps.cotree >summary # it waits for the follower
grep -q 'complete: nothing that was written is lost' summary || fail "jumps: $(cat summary)"
[ "$(awk '$1 == "all" { print $4 }' summary)" = 7 ] ||
    fail "jumps: $(cat summary)" # main, and twice loop, jump and behind
echo "loops of $(awk '$1 == "all" { print $2 }' summary) blocks were interrupted"
