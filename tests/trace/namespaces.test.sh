#!/usr/bin/env bash
# A traced program of another pid namespace (of a container) that does not say how it ended: nobody here
# sees whether it still runs, and nobody waits for it.
set -eu
unshare --pid --fork --mount-proc true 2>/dev/null || { echo "skipped: no new pid namespaces here"; exit 77; }
cotree=$COTREE_BUILD/cotree
export COTREE_FOLLOWER=off
fail() { echo "$*" >&2; exit 1; }
cat >prog.c <<'C'
#include <signal.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    volatile int n = 0;
    for (int i = 0; i < 1000; i++)
        if (i % 3)
            n++;
    if (argc > 1)
        raise(SIGKILL);
    return n != 666;
}
C
"$cotree" cc -O1 -fcotree=trace prog.c -o prog
unshare --pid --fork --mount-proc \
    sh -c 'COTREE_FILE=killed.cotree ./prog 1; COTREE_FILE=ended.cotree ./prog' >messages 2>&1 ||
    fail "the programs failed: $(cat messages)"
status=0
timeout 60 "$cotree" trace --pack killed.cotree 2>messages || status=$?
[ $status = 2 ] && grep -q "killed.cotree.*another pid namespace" messages ||
    fail "packing what was killed: status $status: $(cat messages)"
[ -e killed.cotree-events ] || fail "the events have gone"
[ "$("$cotree" trace --find=prog.c:8 --no-pager prog killed.cotree 2>messages | wc -l)" = 666 ] ||
    fail "what was killed is not shown: $(cat messages)"
# A program that said how it ended is packed anywhere.
timeout 60 "$cotree" trace --pack ended.cotree
[ ! -e ended.cotree-events ] || fail "the events of the program that ended are left"
[ "$("$cotree" trace --find=prog.c:8 --no-pager prog ended.cotree | wc -l)" = 666 ]
