#!/usr/bin/env bash
# Chunks: packed, a trace is the same; each is regenerated alone; a damaged one is named, and all
# others are regenerated.
set -eu
cotree=$COTREE_BUILD/cotree
export COTREE_FOLLOWER=off

cat >prog.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include "steps.h"
static long deep(int n) /* chunks begin in the middle of it */
{
    return n ? deep(n - 1) + steps((unsigned)n) : 0;
}
int main(int argc, char **argv)
{
    int v[1000];
    long s = 0;
    for (int round = 0; round < atoi(argv[1]); round++) {
        for (int i = 0; i < 1000; i++)
            v[i] = (i * 7919 + round) % 1009;
        qsort(v, 1000, sizeof *v, compare);
        s += deep(3000) + v[7] + argc;
    }
    printf("%ld\n", s);
    return 0;
}
C
"$cotree" cc -O1 -fcotree=trace -I"$COTREE_TOP/tests/trace/programs" prog.c -o prog
COTREE_FILE=a.cotree ./prog 13 >out
[ -f a.cotree-events ]
"$cotree" trace prog a.cotree >summary
"$cotree" trace --export=blocks prog a.cotree | sed 1d >blocks
"$cotree" report --format=json prog a.cotree | jq -S 'del(.build_id)' >report

grep -q "not packed" summary
"$cotree" trace --pack a.cotree
[ ! -e a.cotree-events ]
"$cotree" trace prog a.cotree >packed
cmp <(awk '/exit, handlers/ { print $2, $3, $4 }' summary) \
    <(awk '/exit, handlers/ { print $2, $3, $4 }' packed)
[ "$(awk '/exit, handlers/ { gsub(",", "", $5); print $5 }' packed)" -lt \
    $(($(awk '/exit, handlers/ { gsub(",", "", $5); print $5 }' summary) / 3)) ]
"$cotree" trace --export=blocks prog a.cotree | sed 1d | cmp - blocks
"$cotree" report --format=json prog a.cotree | jq -S 'del(.build_id)' | cmp - report

# Chunks that are regenerated at the same time: edges, and paths that begin in one and end in another.
COTREE_FILE=b.cotree ./prog 40 >out
"$cotree" report --format=json prog b.cotree | jq -S 'del(.build_id)' >long
"$cotree" trace --pack b.cotree
"$cotree" report --format=json prog b.cotree | jq -S 'del(.build_id)' | cmp - long

# From any position on, a chunk is where it begins.
count=$(wc -l <blocks)
for part in 1 2 3 4 5 6 7; do
    at=$((count * part / 8))
    "$cotree" trace --export=blocks --from=$at --to=$((at + 99)) prog a.cotree | sed 1d |
        cmp - <(tail -n +$((at + 1)) blocks | head -n 100)
done
"$cotree" trace --export=blocks --last=1000 prog a.cotree | sed 1d | cmp - <(tail -n 1000 blocks)

# One damaged byte costs one chunk: what is before and behind it is as it was.
cp a.cotree damaged.cotree
size=$(stat -c %s damaged.cotree)
printf '\377\377' | dd of=damaged.cotree bs=1 seek=$((size / 2)) conv=notrunc status=none
if cmp -s a.cotree damaged.cotree; then exit 1; fi
status=0
"$cotree" trace --export=blocks prog damaged.cotree 2>said | sed 1d >rest || status=$?
grep -q 'a part of the trace is lost' said
[ "$(grep -c '^lost: chunk [0-9]* of stream' rest)" = 1 ]
line=$(grep -n '^lost: ' rest | cut -d: -f1)
left=$(wc -l <rest)
[ "$line" -gt 1000 ]
[ $((left - line)) -gt 1000 ]
cmp <(head -n $((line - 1)) rest) <(head -n $((line - 1)) blocks)
cmp <(tail -n $((left - line)) rest) <(tail -n $((left - line)) blocks)
"$cotree" report --format=json prog damaged.cotree |
    jq -e '(.exact | not) and
        (.why_not_exact | length == 1 and
        (.[0] | test("lost: chunk [0-9]+ of stream 0 .* is damaged")))' >/dev/null
if "$cotree" trace prog damaged.cotree >said; then exit 1; fi
grep -q "lost: chunk [0-9]* of stream 0 .* is damaged" said

# Who looks for something is told that a part could not be looked at; a window in that part shows
# nothing from behind it.
status=0; "$cotree" trace --find=steps prog damaged.cotree >found 2>said || status=$?
[ $status = 4 ]
grep -q 'a part of the trace is lost' said
[ "$(wc -l <found)" -gt 1000 ]
at=$((line + 1000))
"$cotree" trace --export=blocks --from=$at --to=$((at + 9)) prog damaged.cotree 2>said >window || :
grep -q 'a part of the trace is lost' said
if grep -qE '^[0-9a-f]{16} ' window; then exit 1; fi
