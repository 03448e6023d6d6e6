#!/usr/bin/env bash
# A program that dies deep in a recursion: its trace goes on to where it stood, by the frames of the
# whole stack; where not all were written down, counts are declared.
set -eu
export COTREE_FOLLOWER=off
ulimit -c 0
fail() { echo "$*" >&2; exit 1; }
cotree=$COTREE_BUILD/cotree
cat >prog.c <<'C'
#include <stdlib.h>
volatile int sink;
int cell, *cells[2] = {0, &cell};
__attribute__((noinline)) static int other(int n) { sink++; return n & 1; }
__attribute__((noinline)) static int deeper(int n)
{
    int r = 0;
    if (n > 0)
        r = deeper(n - 1) + other(n); /* whose way out needs no event */
    else
        sink++;
    *(volatile int *)cells[n != 0] = 1;
    return r + 1;
}
int main(int argc, char **argv)
{
    sink += deeper(atoi(argv[argc - 1]));
    return 0;
}
C
"$cotree" cc -O1 -fcotree=trace,every-edge prog.c -o both
"$cotree" cc -O1 -fcotree=trace prog.c -o alone
for depth in 10 5000 60000; do
    rm -f ./*.cotree*
    COTREE_FILE=both.cotree ./both $depth 2>/dev/null && fail "it does not die"
    "$cotree" report --check-sets --format=json both both.cotree >report.json 2>messages ||
        fail "$depth: $(cat messages)"
    if grep -q difference messages; then fail "$depth: $(head -n 1 messages)"; fi
    COTREE_FILE=alone.cotree ./alone $depth 2>/dev/null && fail "it does not die"
    "$cotree" report --format=json alone alone.cotree >report.json
    jq -e --argjson depth $depth \
        '.exact and ([.functions[] | select(.name == "deeper") |
            [.entries, .unfinished] == [$depth + 1, $depth + 1]] == [true]) and
        ([.functions[] | select(.name == "other") | .entries] == [0])' report.json >/dev/null ||
            fail "$depth: $(jq -c '[.exact, .why_not_exact]' report.json)"
done
# A recursion that writes nothing: the frames alone tell how deep it was.
cat >over.c <<'C'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static volatile int entered, sink;
static void over(int depth) { volatile char room[16]; entered++; room[0] = (char)depth; over(depth + 1); sink++; }
static void full(int number) { printf("%d\n", entered); fflush(stdout); _exit(number); }
int main(void)
{
    stack_t other = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
    struct sigaction action = {.sa_handler = full, .sa_flags = SA_ONSTACK};
    sigaltstack(&other, NULL);
    sigaction(SIGSEGV, &action, NULL);
    over(0);
    return 0;
}
C
"$cotree" cc -w -O1 -fcotree=trace over.c -o over
entered=$(COTREE_FILE=over.cotree ./over) && fail "it does not end early"
"$cotree" report --format=json over over.cotree >report.json
# The call that found no room may have entered it, before it counted.
jq -e --argjson entered "$entered" \
    '.exact and ([.functions[] | select(.name == "over") | .entries - $entered | . == 0 or
        . == 1] == [true])' report.json >/dev/null ||
    fail "over: entered $entered times, by its trace $(jq \
    -c '[.exact, .why_not_exact, (.functions[] | select(.name == "over") | .entries)]' report.json)"
# Deeper than what is written down.
(ulimit -s unlimited 2>/dev/null || ulimit -s 100000 2>/dev/null) ||
    { echo "skipped: stacks may not be deeper than what is written down"; exit 77; }
rm -f ./*.cotree*
(ulimit -s unlimited 2>/dev/null || ulimit -s 100000; COTREE_FILE=alone.cotree ./alone 700000 2>/dev/null) &&
    fail "it does not die"
"$cotree" report --format=json alone alone.cotree >report.json
jq -e '(.exact | not) and ([.functions[] | select(.name == "deeper") | .entries] == [700001])' report.json \
    >/dev/null || fail "700000: $(jq -c '[.exact, .why_not_exact]' report.json)"
