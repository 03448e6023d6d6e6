#!/usr/bin/env bash
# What a program that was killed by a signal did behind its last event follows from where it stood;
# where that is not known, counts are declared, within bounds that counters confirm.
set -eu
export COTREE_FOLLOWER=off
fail() { echo "$*" >&2; exit 1; }
cotree=$COTREE_BUILD/cotree
cat >prog.c <<'C'
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
volatile unsigned spins;
__attribute__((noinline)) static unsigned leaf(unsigned n) { return n * 7 + 1; }
__attribute__((noinline)) static unsigned step(unsigned n)
{
    if (n % 3)
        n = leaf(n);
    else
        n += leaf(n + 1);
    spins++;
    return n;
}
int main(int argc, char **argv)
{
    unsigned n = 1;
    for (int i = 0; i < 1000; i++)
        n = step(n);
    if (argc > 1)
        raise(SIGTERM);
    signal(SIGALRM, SIG_DFL);
    ualarm(3000, 0);
    for (;;)
        n = step(n);
}
C
"$cotree" cc -O1 -fcotree=trace,every-edge prog.c -o both
declared=0
for run in 1 2 3 4 5 6 7 8; do
    ./both 2>/dev/null && fail "it was not killed"
    "$cotree" report --check-sets --format=json both both.*.cotree >report.json 2>messages ||
        fail "$(cat messages)"
    if grep -q 'declared difference' messages; then declared=$((declared + 1)); fi
    rm both.*.cotree*
done
"$cotree" cc -O1 -fcotree=trace prog.c -o prog
for run in 1 2 3; do
    COTREE_FILE=alone.cotree ./prog 2>/dev/null && fail "it was not killed"
    # Where it stood is recorded: all is known. Without the table that tells where that is, some
    # functions are in doubt.
    "$cotree" report --format=json prog alone.cotree | jq -e '.exact' >/dev/null
    rm alone.cotree*
done
objcopy --remove-section=.cotree.places --remove-section=.cotree.positions prog nowhere
doubted=0
for run in 1 2 3 4 5 6; do
    COTREE_FILE=alone.cotree ./nowhere 2>/dev/null && fail "it was not killed"
    "$cotree" report --format=json nowhere alone.cotree >report.json
    "$cotree" trace --pack alone.cotree
    "$cotree" report --format=json prog alone.cotree |
        jq -e '.exact' >/dev/null # whoever has the table knows, also when another packed it
    jq -e '.exact or ([.functions[] | select(.exact | not) | .name] != [])' report.json >/dev/null
    if jq -e '.exact | not' report.json >/dev/null; then doubted=$((doubted + 1)); fi
    rm alone.cotree*
done
[ $doubted -gt 0 ]
# In a call: all is known but for who may have been called.
./prog 1 2>/dev/null && fail "it was not killed"
"$cotree" report --format=json prog prog.*.cotree |
    jq -c '[.exact, (.functions[] | [.name, .entries, .exact])]' >got
echo '[true,["leaf",1000,true],["step",1000,true],["main",1,true]]' | cmp - got || fail "$(cat got)"

# So it is with a jump out of a handler: where control stood is recorded, and known unless the code
# there is that of several places.
cat >jump.c <<'C'
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>
static sigjmp_buf back;
static void handler(int signal) { siglongjmp(back, signal); }
__attribute__((noinline)) static unsigned hot(unsigned n)
{
    for (;;)
        n = n % 3 ? n * 5 + 1 : n / 3 + 7;
}
__attribute__((noinline)) static unsigned leaf(unsigned n) { return n % 3 ? n * 5 + 1 : n / 3 + 7; }
__attribute__((noinline)) static unsigned calls(unsigned n)
{
    for (;;)
        if (n & 8)
            n = leaf(n);
        else
            n += 3;
}
int main(int argc, char **argv)
{
    signal(SIGALRM, handler);
    if (sigsetjmp(back, 1))
        return 0;
    ualarm(3000, 0);
    return (int)(argc > 1 ? calls(1) : hot(1));
}
C
"$cotree" cc -O1 -fcotree=trace,every-edge jump.c -o jump
./jump
"$cotree" report --check-sets --no-source jump jump.*.cotree >shown 2>messages || fail "$(cat messages)"
rm jump.*.cotree*
"$cotree" cc -O1 -fcotree=trace jump.c -o jump
./jump
"$cotree" report --format=json jump jump.*.cotree |
    jq -e '(.exact | not) and
        (.functions[] | select(.name == "hot") | (.exact | not) and .max_error != null)' >/dev/null
for run in 1 2 3; do
    rm -f ./*.cotree*
    ./jump calls
    "$cotree" report --format=json jump jump.*.cotree | jq -e .exact >/dev/null ||
        fail "a jump out of a handler is not exact"
done
objcopy --remove-section=.cotree.places --remove-section=.cotree.positions jump nowhere
doubted=0
for run in 1 2 3 4 5 6; do
    COTREE_FILE=alone.cotree ./nowhere calls
    "$cotree" report --format=json nowhere alone.cotree >report.json
    if jq -e '(.exact | not) and ([.functions[] | select(.exact | not) | .max_error != null] | all)' \
        report.json >/dev/null; then
        doubted=$((doubted + 1))
    fi
    rm alone.cotree*
done
[ $doubted -gt 0 ] || fail "without a table nothing is in doubt"
echo "$declared of 8 runs differed from counters where they may"

# Each process of a pool that was killed is a run that was killed.
cat >pool.c <<'C'
#include <signal.h>
int main(int argc, char **argv)
{
    volatile int n = 0;
    for (int i = 0; i < 100; i++)
        n += i % 3;
    if (argc > 1)
        raise(SIGKILL);
    return 0;
}
C
"$cotree" cc -O1 -fcotree=trace pool.c -o pool
for dies in '' 1 1 '' 1; do COTREE_FILE=%m.cotree ./pool $dies 2>/dev/null || [ "$dies" ]; done
"$cotree" report --format=json pool ./*.pool.cotree | jq -r '.why_not_exact[]' >why
grep -q '^3 of 5 runs were killed' why || fail "a pool with 3 of 5 runs killed: $(cat why)"
