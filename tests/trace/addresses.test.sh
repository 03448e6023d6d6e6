#!/usr/bin/env bash
# -fcotree-trace=addresses: at -O0 the addresses are an in-order subsequence of what valgrind's
# lackey sees in the same run, and none is left out: kinds and sizes are those that callbacks of
# SanitizerCoverage see. After a fault the last address is the one that failed. Packed, in chunks,
# they are the same; a damaged chunk costs its own. Optimised programs do what they do without.
set -eu
. "$COTREE_TOP/tests/lib/traced.sh"
build() { # LEVEL SOURCE PROGRAM [OPTION...]
    local level=$1 source=$2 program=$3 driver=cc
    shift 3
    case $source in *.cpp) driver=c++ ;; esac
    "$cotree" $driver -O"$level" -w -fcotree=trace -fcotree-trace=addresses "$here/$source" reporter.o \
        -pthread -o "$program" "$@"
}
shown() { "$cotree" trace --export=blocks --addresses "$@"; }
# kinds FILE...: the kinds of the accesses that are shown, a line each.
kinds() { cut -c -2 "$@" | grep '^ [LSM]'; }

# Every one of ours is there, in order.
build 0 memory.c memory
build 0 exceptions.cpp exceptions
for program in memory exceptions; do
    COTREE_FILE=$program.cotree valgrind --tool=lackey --trace-mem=yes --log-file=lackey "./$program" >out
    shown $program $program.cotree >ours
    ! grep -q 'lost' ours || fail "$program: $(grep lost ours)"
    grep '^ [LSM] ' lackey >accesses
    awk -f "$COTREE_TOP/tests/lib/subsequence.awk" ours accesses || fail "$program: not what lackey sees"
    # It can fail: what nobody accessed is not there.
    awk '/^ S / && ++n == 200 { sub(/.,/, "x,") } { print }' ours >other
    ! awk -f "$COTREE_TOP/tests/lib/subsequence.awk" other accesses >/dev/null || fail "anything will do"
done

# None is left out. (Atomic ones have no callbacks.)
cat >callbacks.c <<'C'
#include <stdio.h>
static FILE *file;
static void say(char kind, int size)
{
    if (!file)
        file = fopen("called", "w");
    fprintf(file, "%c %d\n", kind, size);
    fflush(file);
}
#define CALLBACKS(size) \
    void __sanitizer_cov_load##size(void *p) { say('L', size); } \
    void __sanitizer_cov_store##size(void *p) { say('S', size); }
CALLBACKS(1) CALLBACKS(2) CALLBACKS(4) CALLBACKS(8) CALLBACKS(16)
C
"clang-$LLVM" -O2 -w -c callbacks.c
"clang-$LLVM" -O0 -w -fsanitize-coverage=inline-8bit-counters,trace-loads,trace-stores "$here/memory.c" \
    callbacks.o -o plain
./plain >plain.out
rm -f memory.cotree*
COTREE_FILE=memory.cotree ./memory >out
cmp out plain.out
shown memory memory.cotree | awk -F '[ ,]' '/^thread .* signal/ { exit } /^ [LS]/ { print $2, $4 }' >kinds
awk '{ print }' called >wanted # the handler's four come in the middle of main's
[ "$(wc -l <kinds)" -gt 700 ]
diff kinds wanted | grep '^[<>]' >differences || :
[ "$(grep -c '^>' differences)" = \
    "$(shown memory memory.cotree |
    awk '/^thread .* signal/ { on = 1 } on && /^ [LS]/ { n++ } END { print n }')" ] ||
    fail "some are left out: $(cat differences)"
! grep '^<' differences || fail "some are nobody's"

# Faults: the last address is the one that failed.
for level in 0 2; do
    build $level memory.c ends
    for end in n:8:139 m:ffffffffffffffff:139 0:0:139 w:123456789abc:139; do
        IFS=: read -r how address status <<<"$end"
        rm -f ends.cotree*
        got=0
        { (ulimit -c 0; COTREE_FILE=ends.cotree exec ./ends "$how") >out || got=$?; } 2>/dev/null
        [ $got = "$status" ] || fail "ends $how: status $got"
        for packed in no yes; do
            [ $packed = no ] || "$cotree" trace --pack ends.cotree
            shown ends ends.cotree >ours
            last=$(awk '/^thread .* signal/ { exit } /^ [LSM?] / { last = $2 } END { print last }' ours)
            [ "${last%,*}" = "$(printf %08x "0x$address")" ] ||
                fail "ends $how, -O$level: the last address is $last"
        done
    done
    rm -f ends.cotree*
    { COTREE_FILE=ends.cotree ./ends k >out || :; } 2>/dev/null
    [ "$(shown ends ends.cotree | awk '/^thread .* signal/ { exit } /^ S / { print $2 }' | sort | uniq -c |
        sort -n | tail -n 1 | awk '{ print $1 }')" -gt 900 ] # from what was there to 1000
done

# A child of fork goes on where its parent stood.
rm -f memory.*cotree*
./memory f >out
[ "$(ls memory.*.cotree | wc -l)" = 2 ]
for file in memory.*.cotree; do
    shown memory "$file" >ours
    ! grep lost ours || fail "$file"
done
[ "$(for file in memory.*.cotree; do shown memory "$file" | grep -c '^ [LSM]'; done | sort -n | head -n 1)" \
    = 2 ]

# Chunks: packed, they are the same; one that is damaged is named, and the others are as they were.
COTREE_FILE=long.cotree ./memory l 250000 >out
shown memory long.cotree >before
kinds before >kinds.before
[ "$(wc -l <kinds.before)" -gt 2900000 ]
"$cotree" trace --pack long.cotree
[ ! -e long.cotree-events ]
shown memory long.cotree | cmp - before
"$cotree" trace memory long.cotree >summary
grep -q "addresses: $(grep -c '^ [LM]' before | sed ':a;s/\B[0-9]\{3\}\>/,&/;ta') loads" summary ||
    fail "$(cat summary)"
grep -q 'complete: nothing that was written is lost' summary
lines=$(wc -l <before)
shown --last=1000 memory long.cotree | sed '1d;/^thread/,$d' >last
tail -n "$(wc -l <last)" <(sed '/^thread .* signal/,$d' before) | cmp - last
cp long.cotree damaged.cotree
printf '\377\377' |
    dd of=damaged.cotree bs=1 seek=$(($(stat -c %s damaged.cotree) / 2)) conv=notrunc status=none
shown memory damaged.cotree >rest 2>said || :
grep -q 'a part of the trace is lost' said
[ "$(grep -c '^lost: chunk [0-9]* of stream' rest)" = 1 ]
line=$(grep -n '^lost: ' rest | cut -d: -f1) left=$(wc -l <rest)
[ "$line" -gt 1000 ] && [ $((left - line)) -gt 1000 ]
cmp <(head -n $((line - 1)) rest) <(head -n $((line - 1)) before)
cmp <(tail -n $((left - line)) rest) <(tail -n $((left - line)) before)

# Several chunks of events, too.
COTREE_FILE=longer.cotree ./memory l 700000 >out
"$cotree" trace memory longer.cotree >before.summary
"$cotree" trace --pack longer.cotree
"$cotree" trace memory longer.cotree >summary
grep -q 'complete: nothing that was written is lost' summary
cmp <(awk '$1 == "all" { print $2, $3, $4 } /addresses:/ { print $2, $4 }' before.summary) \
    <(awk '$1 == "all" { print $2, $3, $4 } /addresses:/ { print $2, $4 }' summary)
"$cotree" trace --export=jsonl --addresses --last=100 memory longer.cotree | tail -n 1 | grep -q '"gone"'

# A follower packs while the program runs, and the same comes out; also of one that dies.
COTREE_FILE=followed.cotree COTREE_FOLLOWER=$cotree ./memory l 250000 >out
shown memory followed.cotree | kinds | cmp - kinds.before
[ ! -e followed.cotree-events ]
printf '#!/bin/sh\nexec timeout -s KILL 0.1 "%s" "$@"\n' "$cotree" >follower
chmod +x follower
COTREE_FILE=dying.cotree COTREE_FOLLOWER=$PWD/follower ./memory l 250000 >out
sleep 0.3
shown memory dying.cotree | kinds | cmp - kinds.before
"$cotree" trace --pack dying.cotree
shown memory dying.cotree | kinds | cmp - kinds.before

# Optimised: programs do what they did, and everything fits, packed and not; units with and without
# addresses go together.
for source in calls.c jumps.c exceptions.cpp signals.c threads.c; do
    build 2 $source other
    COTREE=off ./other >plain.out
    rm -f other.cotree*
    COTREE_FILE=other.cotree ./other >out
    cmp out plain.out || fail "$source: another output"
    "$cotree" trace --export=jsonl --addresses other other.cotree >before
    ! grep -q '"lost"' before || fail "$source: $(grep lost before)"
    "$cotree" trace --pack other.cotree
    "$cotree" trace --export=jsonl --addresses other other.cotree | cmp - before
done
cat >one.c <<'C'
int table[4], two(int *p, int n), last(int *p);
int one(int *p, int n) { table[n & 3] += *p; return n ? two(p, n - 1) + last(p) : *p; }
int main(void) { int local = 3; return one(&local, 9) == 33 ? 0 : 1; }
C
cat >two.c <<'C'
int one(int *p, int n);
int two(int *p, int n) { *p += 1; return n ? one(p, n - 1) : *p; }
int last(int *p) { return *p > 100 ? one(p, 0) : 3; }
C
"$cotree" cc -O1 -fcotree=trace -fcotree-trace=addresses -c one.c
"$cotree" cc -O1 -fcotree=trace -c two.c
"$cotree" cc -fcotree=trace one.o two.o -o mixed
COTREE_FILE=mixed.cotree ./mixed || :
shown mixed mixed.cotree >ours
! grep lost ours || fail "mixed"
grep -q '^ L' ours && [ "$(grep -c '^ S' ours)" -ge 5 ]
# Also where the first of them to run records none, and calls the other by name.
printf 'int one(int *p, int n);\nint main(void) { int local = 3; return one(&local, 9) == 33 ? 0 : 1; }\n' \
    >three.c
"$cotree" cc -O1 -Dmain=unused -fcotree=trace -fcotree-trace=addresses -c one.c
"$cotree" cc -O1 -fcotree=trace -c three.c
"$cotree" cc -fcotree=trace one.o two.o three.o -o mixed
rm -f mixed.cotree*
status=0
COTREE_FILE=mixed.cotree ./mixed || status=$?
[ $status -le 1 ]
shown mixed mixed.cotree >ours
! grep lost ours || fail "mixed"
grep -q '^ L' ours && [ "$(grep -c '^ S' ours)" -ge 5 ]
"$cotree" cc -O1 -fcotree=trace one.c two.c -o without
COTREE_FILE=without.cotree ./without || :
! "$cotree" trace --list --addresses without without.cotree 2>said || fail "there are none"
grep -q "records no addresses: build with -fcotree-trace=addresses" said
for format in folded callgrind perfetto; do
    ! "$cotree" trace --export=$format --addresses mixed mixed.cotree 2>said || fail "$format"
    grep -q -- '--addresses needs' said
done

# An ordered load is made whether its value is used or not; and the next thread's addresses are its
# own where one before has changed stacks.
printf 'int g;\nint main(void) { __atomic_load_n(&g, __ATOMIC_ACQUIRE); return 0; }\n' >ordered.c
"$cotree" cc -O2 -w -fcotree=trace -fcotree-trace=addresses ordered.c -o ordered
COTREE_FILE=ordered.cotree ./ordered
[ "$(shown ordered ordered.cotree | grep -c '^ L')" = 1 ]
cat >contexts.c <<'C'
#include <pthread.h>
#include <ucontext.h>
static ucontext_t here, there;
static char stack[1 << 16];
volatile int table[4];
static void other(void) { table[1]++; }
static void *changes(void *unused)
{
    table[0]++;
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = sizeof stack;
    there.uc_link = &here;
    makecontext(&there, other, 0);
    swapcontext(&here, &there);
    return unused;
}
static void *stays(void *unused) { table[2]++, table[3]++; return unused; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, changes, NULL);
    pthread_join(thread, NULL);
    pthread_create(&thread, NULL, stays, NULL);
    pthread_join(thread, NULL);
    return table[1] + table[2] - 2;
}
C
"$cotree" cc -O1 -w -fcotree=trace -fcotree-trace=addresses contexts.c -pthread -o contexts
COTREE_FILE=contexts.cotree ./contexts
shown contexts contexts.cotree >ours 2>/dev/null || :
[ "$(grep -c '^lost: ' ours)" = 1 ] && grep -q '^lost: what a thread did after it changed stacks' ours ||
    fail "$(grep '^lost' ours)"
[ "$(sed '1,/^lost: /d' ours | grep -c '^ S')" = 2 ] || fail "$(cat ours)"
