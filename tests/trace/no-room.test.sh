#!/usr/bin/env bash
# Where there is no room for a trace the program runs as ever, and nobody says that the trace is complete.
set -eu
cotree=$COTREE_BUILD/cotree
export COTREE_FOLLOWER=off
fail() { echo "$*" >&2; exit 1; }

cat >prog.c <<'C'
#include <stdio.h>
int main(void)
{
    unsigned x = 1;
    for (int i = 0; i < 4000000; i++)
        if (x & 1)
            x = x * 1664525 + 1013904223;
        else
            x = x >> 1 ^ 0x80200003;
    printf("%u\n", x);
    return 3;
}
C
"$cotree" cc -O2 -fcotree=none prog.c -o plain
./plain >plain.out || true
"$cotree" cc -O2 -fcotree=trace prog.c -o prog

# runs HOW COMMAND...
runs() {
    local how=$1 status=0
    shift
    ("$@" && exec ./prog >out 2>messages) || status=$?
    [ $status = 3 ] || fail "$how: status $status: $(cat messages)"
    cmp out plain.out || fail "$how: another output"
}

# Files may not even have the size of the events file's list of streams: a signal tells who tries.
COTREE_FILE=files.cotree runs 'small files' ulimit -f 2000
[ ! -e files.cotree-events ] || fail 'small files: an events file'
COTREE_FILE=off.cotree COTREE=off runs 'small files, off' ulimit -f 2000

# Few addresses: the file is small, and used up.
COTREE_FILE=memory.cotree runs 'few addresses' ulimit -v 300000
for packed in '' yes; do
    status=0
    "$cotree" trace prog memory.cotree >summary || status=$?
    [ $status = 4 ] || fail "few addresses: status $status: $(cat summary)"
    grep -q 'lost: .*no room' summary || fail "few addresses: $(cat summary)"
    if grep -q complete summary; then fail "few addresses: $(cat summary)"; fi
    "$cotree" report prog memory.cotree >report
    grep -q '1 run, not exact' report || fail "few addresses: $(head -n 3 report)"
    grep -q 'a part of the trace is lost: there was no room for it' report || fail "few addresses: $(head -n 5 report)"
    for what in "--list --last=5" "--export=folded --last=5" --compare; do
        status=0 twice=
        [ "$what" != --compare ] || twice=memory.cotree
        "$cotree" trace --no-pager $what prog memory.cotree $twice >shown 2>messages || status=$?
        [ $status = 4 ] && grep -q 'is lost' messages || fail "few addresses: $what: status $status: $(cat messages)"
    done
    [ -n "$packed" ] || "$cotree" trace --pack memory.cotree
done
echo "traces without room are declared"
