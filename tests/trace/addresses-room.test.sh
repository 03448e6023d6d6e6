#!/usr/bin/env bash
# -fcotree-trace=addresses where there is little room: a program that passes no thunk runs as ever,
# whatever its limits and its signals are, and the trace has all blocks, the addresses up to some
# access, and says from which on there are none.
set -eu
cotree=$COTREE_BUILD/cotree
export COTREE_FOLLOWER=off
fail() { echo "$*" >&2; exit 1; }

cat >prog.c <<'C'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
static unsigned table[256];
static int depth(int n)
{
    table[n & 255] += (unsigned)n;
    return n ? depth(n - 1) + (int)table[n * 7 & 255] : 0;
}
/* A loop with two ways in, of which the one that is taken is not its head. */
static unsigned twice(long n, unsigned x)
{
around:
    if (n < 0)
        goto head;
    goto inside;
head:
    x += 7;
inside:
    table[x >> 24] += x;
    x = x * 1664525 + 1013904223;
    if (n == -5)
        goto head;
    if (n-- > 0)
        goto around;
    return x;
}
int main(int argc, char **argv)
{
    long n = argc > 1 ? atol(argv[1]) : 0;
    const char *how = argc > 2 ? argv[2] : "";
    unsigned x = 1;
    if (strchr(how, 'b')) { /* who meets a fault now is dead */
        sigset_t all;
        sigfillset(&all);
        sigprocmask(SIG_BLOCK, &all, NULL);
    }
    if (strchr(how, 'l')) {
        struct rlimit few = {64 << 20, 64 << 20};
        setrlimit(RLIMIT_AS, &few);
    }
    if (strchr(how, 't'))
        x = twice(n, x);
    for (long i = 0; i < n && !strchr(how, 't'); i++) {
        x = x * 1664525 + 1013904223;
        table[x >> 24] += x;
    }
    if (strchr(how, 'f')) {
        int status = 0;
        if (!fork())
            _exit((int)(table[7] + x & 15));
        wait(&status);
        x += (unsigned)WEXITSTATUS(status);
    }
    for (long i = 0; i < n / 1000; i++)
        x += (unsigned)depth(500);
    for (int i = 0; i < 256; i++)
        x ^= table[i];
    printf("%u\n", x);
    return 3;
}
C
"$cotree" cc -O2 -fcotree=none prog.c -o plain
for level in 0 2; do
    "$cotree" cc -O$level -w -fcotree=trace -fcotree-trace=addresses prog.c -o prog$level
done
shown() { "$cotree" trace --export=blocks --addresses "$@"; }

# runs PROGRAM ROUNDS HOW COMMAND...
runs() {
    local program=$1 rounds=$2 how=$3 status=0
    shift 3
    rm -f *.cotree*
    (ulimit -c 0; "$@" &&
        COTREE_FILE=%e.%p.cotree exec ${under:-} ./$program "$rounds" "$how" >out 2>messages) || status=$?
    [ $status = 3 ] || fail "$program $rounds $how: $*: status $status: $(cat messages)"
    cmp out <(./plain "$rounds" "$how") || fail "$program $rounds $how: $*: another output"
}

# Regions are used up in loops and in recursion; of what was kept everything is right, packed, too.
COTREE_FILE=whole.trace ./prog2 300000 b >out || :
shown prog2 whole.trace >whole
for case in 'prog0 300000 b ulimit -f 40000' 'prog2 300000 b ulimit -f 40000' \
    'prog2 300000 lb ulimit -f 40000' 'prog2 300000 b ulimit -v 1500000' 'prog0 300000 tb ulimit -f 40000' \
    'prog2 300000 tb ulimit -f 40000'; do
    runs $case
    set -- $case
    for packed in '' yes; do
        status=0
        "$cotree" trace "$1" ./*.cotree >summary || status=$?
        [ $status = 4 ] &&
            grep -q 'lost: the addresses of thread [0-9]* after its first [0-9,]* loads and stores: there was no room for them' summary &&
            ! grep -q complete summary || fail "$case: status $status: $(cat summary)"
        kept=$(sed -n 's/.* after its first \([0-9,]*\) loads.*/\1/p' summary | tr -d ,)
        [ "$kept" -gt 20000 ] || fail "$case: $(cat summary)"
        shown "$1" ./*.cotree >ours 2>messages && fail "$case: nothing is missing"
        grep -q 'a part of the trace is lost' messages
        [ "$(grep -c '^ [LSM]' ours)" = "$kept" ] || fail "$case: $kept, and $(grep -c '^ [LSM]' ours)"
        [ -n "$packed" ] || cp ours before
        cmp ours before
        if [ "$3" = b ] && [ "$1" = prog2 ]; then # all blocks, and as many accesses, of the same kinds
            cmp <(grep -v '^ [LSM]' ours | sed 1d) <(grep -v '^ [LSM]' whole | sed 1d)
            cmp <(awk '/^ [LSM]/ { sub(/ [^ ]*,/, " "); print }' ours) \
                <(awk '/^ [LSM]/ { sub(/ [^ ]*,/, " "); print }' whole | head -n "$kept")
        fi
        [ -n "$packed" ] || "$cotree" trace --pack ./*.cotree
        "$cotree" report "$1" ./*.cotree | grep -q '1 run, exact' || fail "$case: the blocks are all there"
    done
done

# No room at all for addresses; a child that inherits that; and events that are used up as well.
runs prog2 30000 b ulimit -v 300000
"$cotree" trace prog2 ./*.cotree >summary || :
grep -q 'after its first 0 loads and stores' summary || fail "$(cat summary)"
runs prog2 300000 f ulimit -f 40000
[ "$(ls ./*.cotree | wc -l)" = 2 ]
for file in ./*.cotree; do
    "$cotree" trace prog2 "$file" >summary || :
    grep -q 'lost: the addresses of thread' summary || fail "$(cat summary)"
    [ "$(grep -c lost: summary)" = 1 ] || fail "$(cat summary)"
done
runs prog2 12000000 '' ulimit -v 300000
! "$cotree" trace prog2 ./*.cotree >summary || fail "nothing is said to be lost"
grep -q lost: summary

# Under valgrind nothing can be mapped behind a region.
under="valgrind -q --tool=none" runs prog2 100000 '' ulimit -f 30000
! "$cotree" trace prog2 ./*.cotree >summary || fail "nothing is said to be lost"
grep -q 'lost: the addresses of thread' summary || fail "$(cat summary)"
