#!/usr/bin/env bash
# A follower packs while the program runs; whenever it dies, what it has packed and what it has left
# is the whole trace, and packing can go on there.
set -eu
cotree=$COTREE_BUILD/cotree

cat >prog.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "steps.h"
int main(int argc, char **argv)
{
    int v[1000];
    long s = argc;
    for (int round = 0; round < atoi(argv[1]); round++) {
        for (int i = 0; i < 1000; i++)
            v[i] = (i * 7919 + round) % 1009;
        qsort(v, 1000, sizeof *v, compare);
        for (int i = 1; i < 20000; i++)
            s += steps((unsigned)i);
    }
    printf("%ld\n", s);
    fflush(stdout);
    for (int i = 2; i < argc; i++) /* all but the last one fail */
        execl(argv[i], "sleep", "30", (char *)NULL);
    return 0;
}
C
"$cotree" cc -O1 -fcotree=trace -I"$COTREE_TOP/tests/trace/programs" prog.c -o prog
COTREE_FILE=plain.cotree COTREE_FOLLOWER=off ./prog 10 >plain.out
COTREE_FILE=followed.cotree COTREE_FOLLOWER=$cotree ./prog 10 >out
cmp out plain.out
"$cotree" trace prog followed.cotree >summary # it waits for the follower
grep -q 'complete: nothing that was written is lost' summary
if grep -q 'not packed' summary; then exit 1; fi
[ ! -e followed.cotree-events ]
[ -e plain.cotree-events ]
"$cotree" trace --compare prog plain.cotree followed.cotree >said
grep -q 'thread [0-9]* / [0-9]*: equal, [0-9,]* blocks' said
# Many chunks are counted by several threads: the counts are those of the whole.
"$cotree" report --format=json prog plain.cotree >plain.json
"$cotree" report --format=json prog followed.cotree | cmp - plain.json

# A follower that died, and whose id is another process's by now, is not waited for.
cp plain.cotree reused.cotree
cp --sparse=always plain.cotree-events reused.cotree-events
printf '\1\0\0\0\0\0\0\0' |
    dd of=reused.cotree-events bs=1 seek=56 conv=notrunc status=none # trace_header.follower
timeout 600 "$cotree" trace prog reused.cotree >summary
# Several packers wait for one another.
packers=
for _ in 1 2 3; do
    "$cotree" trace --pack reused.cotree &
    packers="$packers $!"
done
for packer in $packers; do wait "$packer"; done
"$cotree" trace prog reused.cotree >summary
grep -q 'complete: nothing that was written is lost' summary || { cat summary; exit 1; }
[ ! -e reused.cotree-events ]
rm reused.cotree

# A program that executes another one has ended: the trace is complete while that one runs.
COTREE_FILE=exec.cotree COTREE_FOLLOWER=$cotree ./prog 10 /none /none /bin/sleep >out &
sleeps=$!
for _ in $(seq 300); do [ "$(cat "/proc/$sleeps/comm")" != sleep ] || break; sleep 0.1; done
timeout 600 "$cotree" trace prog exec.cotree >summary
grep -q 'complete: nothing that was written is lost' summary
grep -q ' exec$' summary || { cat summary; exit 1; }
"$cotree" report --format=json prog exec.cotree | jq -e .exact >/dev/null
[ ! -e exec.cotree-events ]
kill "$sleeps" || { echo "the other program has ended too soon" >&2; exit 1; }
wait "$sleeps" || :

# COTREE_TRACE_MAX: the last part is kept, what came before is said to be gone.
COTREE_FILE=last.cotree COTREE_TRACE_MAX=300K COTREE_FOLLOWER=$cotree ./prog 10 >out
cmp out plain.out
"$cotree" trace prog last.cotree >summary || :
grep -q 'the first [0-9]* blocks of stream 0 were dropped, as COTREE_TRACE_MAX asks' summary ||
    { cat summary; exit 1; }
[ ! -e last.cotree-events ]
[ "$(du -k last.cotree | cut -f1)" -lt 700 ] &&
    [ "$(du -k last.cotree | cut -f1)" -lt $(($(du -k followed.cotree | cut -f1) / 2)) ] ||
    { du -k last.cotree followed.cotree; exit 1; }
"$cotree" trace --export=blocks --last=100000 prog last.cotree 2>said | sed 1d >last
"$cotree" trace --export=blocks --last=100000 prog followed.cotree | sed 1d | cmp - last
[ "$(wc -l <last)" = 100000 ]
"$cotree" report --format=json prog last.cotree |
    jq -e '(.exact | not) and (.why_not_exact | tostring | test("COTREE_TRACE_MAX"))' >/dev/null

for seconds in 0.02 0.1 0.3; do
    printf '#!/bin/sh\nexec timeout -s KILL %s "%s" "$@"\n' "$seconds" "$cotree" >follower
    chmod +x follower
    rm -f dying.cotree*
    COTREE_FILE=dying.cotree COTREE_FOLLOWER=$PWD/follower ./prog 10 >out
    cmp out plain.out
    sleep 0.5
    "$cotree" trace --compare prog plain.cotree dying.cotree >said || { cat said; exit 1; }
    "$cotree" trace --pack dying.cotree
    [ ! -e dying.cotree-events ]
    "$cotree" trace --compare prog plain.cotree dying.cotree >said || { cat said; exit 1; }
    "$cotree" trace prog dying.cotree | grep -q 'complete: nothing that was written is lost'
done

# At its end a program makes a small file of little, but not of one that somebody packs at that
# moment: it would be moved away under their hands.
cat >waits.c <<'C'
#include <stdio.h>
int main(void)
{
    int lines = 0;
    for (int c; (c = getchar()) != EOF;)
        lines += c == '\n';
    return lines != 1;
}
C
"$cotree" cc -O1 -fcotree=trace waits.c -o waits
mkfifo input
COTREE_FILE=locked.cotree COTREE_FOLLOWER=off ./waits <input &
waits=$!
exec 5>input
until [ -e locked.cotree-events ]; do sleep 0.01; done
exec 6<>locked.cotree-events
flock 6
echo >&5
exec 5>&-
wait "$waits"
[ "$(stat -c %s locked.cotree-events)" -gt 1000000000 ] ||
    { echo "it was moved while it was locked" >&2; exit 1; }
exec 6<&-
"$cotree" trace --pack locked.cotree
"$cotree" report --format=json waits locked.cotree | jq -e '.exact' >/dev/null
COTREE_FILE=unlocked.cotree COTREE_FOLLOWER=off ./waits <<<""
[ "$(stat -c %s unlocked.cotree-events)" -lt 100000000 ]

# Events of another run are not taken for this one's.
for run in one two; do COTREE_FILE=$run.cotree COTREE_FOLLOWER=off ./prog 10 >out; done
"$cotree" trace prog one.cotree >summary
mv two.cotree-events one.cotree-events
if "$cotree" trace prog one.cotree >summary 2>message; then exit 1; fi
grep -q "one.cotree-events': is of another run" message
if "$cotree" trace --pack one.cotree 2>message; then exit 1; fi
grep -q "one.cotree-events': is of another run" message
