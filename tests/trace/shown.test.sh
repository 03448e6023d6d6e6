#!/usr/bin/env bash
# cotree trace: what it shows is what the program, small enough to be followed by hand, did; every
# export holds the same sequence; errors are one line.
set -eu
cotree=$COTREE_BUILD/cotree
export COTREE_FOLLOWER=off

cat >prog.c <<'C'
#include <stdio.h>
#include <stdlib.h>
static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}
__attribute__((noinline)) static int steps(int n)
{
    int s = 0;
    while (n != 1) {
        if (n & 1)
            n = 3 * n + 1;
        else
            n /= 2;
        s++;
    }
    return s;
}
static int down(int n)
{
    return n ? down(n - 1) + 1 : 0;
}
int main(int argc, char **argv)
{
    int v[2] = {2, 1};
    qsort(v, 2, sizeof *v, compare);
    int s = down(3) + v[0];
    for (int i = 1; i < atoi(argv[1]); i++)
        s += steps(i);
    printf("%d\n", s);
    if (argc == 9)
        abort();
    return argc == 3 ? steps(5) : 0;
}
C
"$cotree" cc -O1 -fcotree=trace,every-edge prog.c -o prog
COTREE_FILE=a.cotree ./prog 8 >out
[ "$(cat out)" = 43 ] # 3 + 1 + 0 + 1 + 7 + 2 + 5 + 8 + 16
COTREE_FILE=b.cotree ./prog 8 x >out || :
COTREE_FILE=c.cotree ./prog 8 >out

# A block without a line (behind a loop without braces) is shown where it goes on.
cat >bare.c <<'C'
int main(int argc, char **argv)
{
    int sum = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; argv[k]; k++)
            sum += k;
    return sum + argc == 99;
}
C
"$cotree" cc -O1 -fcotree=trace bare.c -o bare
COTREE_FILE=bare.cotree ./bare
"$cotree" trace --export=jsonl bare bare.cotree |
    jq -r 'select(.kind == "block" and .line == null).at' >nowhere
[ "$(wc -l <nowhere)" = 3 ]
while read -r at; do
    "$cotree" trace --find="$at" bare bare.cotree | grep -q '  main  bare\.c:4$'
    "$cotree" trace --list --from="$at" --to="$at" bare bare.cotree | grep -qE "^ *$at +bare\.c:4  for "
done <nowhere

# The counts of the trace are those of a counter on every edge of the same run.
"$cotree" report --check-sets --format=json prog a.cotree >report.json
jq -e '.exact' report.json >/dev/null
"$cotree" trace prog a.cotree >summary
grep -q 'complete: nothing that was written is lost' summary
blocks=$(awk '$NF == "ran" && /exit, handlers/ { gsub(",", "", $2); print $2 }' summary)
[ "$blocks" -gt 100 ]
[ "$(jq '[.functions[].blocks[].count] | add' report.json)" = "$blocks" ]

# Every export holds as many.
"$cotree" trace --export=blocks prog a.cotree >blocks
[ "$(grep -cE '^[0-9a-f]{16} [0-9]+$' blocks)" = "$blocks" ]
"$cotree" trace --export=jsonl prog a.cotree >jsonl
[ "$(jq -r 'select(.kind == "block" or .kind == "enter" or .kind == "enter-called" or
    .kind == "land") | .at' jsonl | tee positions | wc -l)" = "$blocks" ]
seq 0 $((blocks - 1)) | cmp - positions
[ "$("$cotree" trace --export=folded prog a.cotree | awk '{ n += $NF } END { print n }')" = "$blocks" ]
"$cotree" trace --export=callgrind prog a.cotree | grep -qx "totals: $blocks"
"$cotree" trace --export=perfetto prog a.cotree >perfetto
jq -e '([.[] | select(.ph == "B")] | length) == ([.[] | select(.ph == "E")] | length) and length > 20' \
    perfetto >/dev/null
[ "$("$cotree" trace --export=folded prog a.cotree | sed -n 's/^main;down;down;down;down [0-9]*$/yes/p')" = \
    yes ]

# A reader who follows the program sees this: 7 calls of steps, steps(7) goes round 16 times.
"$cotree" trace --list --no-source --no-pager prog a.cotree >list
grep -q ' steps()' list
grep -q 'compare()  called by address or from outside' list
"$cotree" trace --find=steps --no-pager prog a.cotree >found
[ "$(wc -l <found)" = 7 ]
[ "$(jq -r 'select(.function == "steps" and .kind == "enter") | .at' jsonl | tr '\n' ' ')" = \
    "$(awk '{ printf "%s ", $1 }' found)" ]
[ "$("$cotree" trace --find=prog.c:12 --no-pager prog a.cotree | wc -l)" = $((0 + 0 + 2 + 0 + 1 + 2 + 5)) ]

# Windows: by position, by place, the last blocks.
"$cotree" trace --export=blocks --from=10 --to=19 prog a.cotree | sed 1d |
    cmp - <(sed 1d blocks | sed -n 11,20p)
"$cotree" trace --export=blocks --last=17 prog a.cotree | sed 1d | cmp - <(tail -n 17 blocks)
at=$(awk 'NR == 3 { print $1 }' found)
"$cotree" trace --export=blocks --from=steps prog a.cotree | sed 1d |
    cmp - <(sed 1d blocks | tail -n +$((1 + $(awk 'NR == 1 { print $1 }' found))))
"$cotree" trace --export=blocks --from="$at" --to=prog.c:29 prog a.cotree | sed 1d >window
[ "$(wc -l <window)" -lt 40 ]
cmp window <(sed 1d blocks | tail -n +$((1 + at)) | head -n "$(wc -l <window)")

# The place in the middle of which a window begins is told by the calls that lead there; exports
# open and close them.
at=$(jq -s '[.[] | select(.function == "down" and .depth == 4)][0].at' jsonl)
"$cotree" trace --list --no-source --no-pager --from=$((at + 1)) --to=$((at + 2)) prog a.cotree >middle
[ "$(sed -n '2,6s/^ *\([a-z]*\)()  was running: prog.c:.*/\1/p' middle | tr '\n' ' ')" = \
    'main down down down ' ]
"$cotree" trace --export=perfetto --from=$((at + 1)) --to=$((at + 2)) prog a.cotree >perfetto
jq -e --argjson at $((at + 1)) 'map(.name)[:4] == ["main", "down", "down", "down"] and
    ([.[] | select(.ph == "B")] | length) == ([.[] | select(.ph == "E")] | length) and
        all(.[:4][]; .ts == $at) and (map(.ts) | max) <= $at + 2' perfetto >/dev/null
"$cotree" trace --export=callgrind --from=10 --to=59 prog a.cotree >window.callgrind
callgrind_annotate --inclusive=yes window.callgrind >annotated
grep -q '^50 (100.0%)  PROGRAM TOTALS' annotated
grep -qE '^ *50 \(100.0%\) .*prog.c:main' annotated

# One place twice is met twice; two lines of one block are met at once.
"$cotree" trace --export=blocks --from=steps --to=steps prog a.cotree | sed 1d >window
[ "$(wc -l <window)" = $((1 + $(awk 'NR == 2 { print $1 }' found) - $(awk 'NR == 1 { print $1 }' found))) ]
[ "$("$cotree" trace --export=blocks --from=prog.c:25 --to=prog.c:26 prog a.cotree | sed 1d | wc -l)" = 1 ]
[ "$("$cotree" trace --find="$(awk 'NR == 3 { print $1 }' found)" --no-pager prog a.cotree)" = \
    "$(sed -n 3p found)" ]

# Two runs that do the same are equal; others part where their sequences do.
"$cotree" trace --compare prog a.cotree c.cotree >same
grep -q ': equal, ' same
status=0; "$cotree" trace --compare prog a.cotree b.cotree >differ || status=$?
[ $status = 1 ]
"$cotree" trace --export=blocks prog b.cotree | sed 1d >blocks.b
first=$(diff <(sed 1d blocks) blocks.b | sed -n '1s/^\([0-9]*\).*/\1/p')
grep -q "equal up to position $first, then" differ ||
    grep -q "equal up to position $((first - 1)), then" differ

# Traces are added up, and merged, as counts are.
"$cotree" cc -O1 -fcotree=trace prog.c -o only
COTREE_FILE=o1.cotree ./only 8 >out
COTREE_FILE=o2.cotree ./only 9 >out
"$cotree" merge only o1.cotree o2.cotree -o merged 2>said
"$cotree" report --format=json only o1.cotree o2.cotree | jq -S 'del(.program)' >added
"$cotree" report --format=json merged | jq -S 'del(.program)' | cmp - added
jq -e '.exact and ([.functions[] | select(.name == "steps") | .entries] == [15])' added >/dev/null

# A trace outlives its program, whatever ends it.
cat >killed.c <<'C'
#include <signal.h>
int main(int argc, char **argv)
{
    volatile int n = 0;
    for (int i = 0; i < 1000; i++)
        if (i % 3)
            n++;
    raise(SIGKILL);
    return n;
}
C
"$cotree" cc -O1 -fcotree=trace killed.c -o killed
COTREE_FILE=k.cotree ./killed || :
"$cotree" trace killed k.cotree | grep -q 'cut short'
[ "$("$cotree" trace --find=killed.c:7 --no-pager killed k.cotree | wc -l)" = 666 ]

# Errors are one line, and say what is wrong.
refused() { # status text arguments...
    local want=$1 text=$2 got=0
    shift 2
    "$cotree" trace "$@" >said 2>&1 || got=$?
    [ $got = "$want" ] && [ "$(wc -l <said)" -le 2 ] && grep -qF -- "$text" said ||
        { echo "cotree trace $*: $got"; cat said; exit 1; }
}
refused 64 'no data for' prog
refused 64 'only one of' --list --compare prog a.cotree
refused 64 'need --list' --from=3 prog a.cotree
refused 64 '--export is jsonl' --export=xml prog a.cotree
refused 1 "no traced function or line is 'nobody'" --list --from=nobody prog a.cotree
refused 1 "no traced function or line is '-5'" --list --from=-5 prog a.cotree
refused 1 "control never came to 'prog.c:32'" --list --from=prog.c:32 --last=3 prog a.cotree
refused 1 "control never came to 'prog.c:32'" --find=prog.c:32 prog a.cotree
refused 1 'the trace ends before position 9999' --export=blocks --from=9999 prog a.cotree
refused 1 'no block has position 9999' --find=9999 prog a.cotree
refused 1 "control never came to 'steps' in that part" --find=steps --to=3 prog a.cotree
refused 1 'there is no thread 99' --list --thread=99 prog a.cotree
refused 64 '--to=5 is before --from=7' --list --from=7 --to=5 prog a.cotree
refused 1 "no traced function or line is 'prog.c:3000'" --export=blocks --from=steps --to=prog.c:3000 prog \
    a.cotree
"$cotree" trace --export=blocks --from="$at" --to=compare prog a.cotree 2>said | sed 1d |
    cmp - <(sed 1d blocks | tail -n +$((1 + at)))
grep -q "control never came to 'compare' after that: shown to the end" said
refused 2 'another build' prog k.cotree
refused 2 "no data of 'prog' was found in '.'" prog missing.cotree
refused 2 'is a file of events: name the data file' prog a.cotree-events
refused 1 "cannot write '/dev/full'" --list -o /dev/full prog a.cotree
refused 64 '--compare needs two' --compare prog a.cotree
refused 64 '--pack shows nothing' --pack --list a.cotree
refused 64 '--thread is' --thread=4294967297 prog a.cotree
status=0; "$cotree" trace --thread=99 prog a.cotree >out 2>said || status=$?
[ $status = 1 ]
grep -q 'no thread 99' said
"$cotree" cc -O1 prog.c -o plain && COTREE_FILE=p.cotree ./plain 3 >out
refused 2 'holds no trace' plain p.cotree

# A data file without its trace, or one whose list of chunks is damaged, does not say that nothing ran.
mkdir moved && cp o1.cotree moved/
"$cotree" report --format=json only moved/o1.cotree |
    jq -e '(.exact | not) and (.why_not_exact[0] | test("not beside"))' >/dev/null
COTREE_FILE=packed.cotree ./only 3 >out
"$cotree" trace --pack packed.cotree
"$cotree" report --format=json only packed.cotree >undamaged
refusals=0
for page in $(seq 1 $(($(stat -c %s packed.cotree) / 4096))); do # the list of chunks is in one of these
    cp packed.cotree cut.cotree
    printf '\377\377\377\377\377\377\377\377' |
        dd of=cut.cotree bs=1 seek=$((page * 4096 + 130)) conv=notrunc status=none
    status=0
    "$cotree" report --format=json only cut.cotree >damaged 2>said || status=$?
    if grep -q 'damaged list of chunks' said; then refusals=$((refusals + 1)); fi
    [ $status != 0 ] || cmp -s damaged undamaged || jq -e '.exact | not' damaged >/dev/null ||
        { echo "page $page: exact"; exit 1; }
done
[ $refusals -ge 1 ]

# A library may be traced in a program that is not.
printf 'int twice(int n) { int s = 0; for (int i = 0; i < n; i++) s += i %% 3 ? 2 : 1; return s; }\n' \
    >library.c
printf 'int twice(int); int main(int argc, char **argv) { return !argv || twice(argc + 5) != 10; }\n' >uses.c
"$cotree" cc -O1 -fcotree=trace -fPIC -shared library.c -o libtwice.so
"clang-${LLVM:-19}" -O1 uses.c -L. -ltwice -Wl,-rpath,"$PWD" -o uses
COTREE_FILE=u.cotree ./uses
"$cotree" trace uses u.cotree | grep -q 'exit, handlers ran'
[ "$("$cotree" trace --no-pager --find=twice uses u.cotree | grep -c 'position\|twice')" -ge 1 ]
refused 2 'another build' prog u.cotree

# Several processes that share a data file have an events file each.
for i in 1 2 3; do COTREE_FILE=%m.cotree ./only 8 >out; done
[ "$(ls ./*.pool.cotree-events.* | wc -l)" = 3 ]
"$cotree" trace only ./*.pool.cotree >before
[ "$(grep -c 'exit, handlers ran' before)" = 3 ]
"$cotree" trace --pack ./*.pool.cotree
if ls ./*.pool.cotree-events.* 2>/dev/null; then exit 1; fi
"$cotree" trace only ./*.pool.cotree >after
cmp <(awk '/handlers ran/ { print $1, $2, $3, $4 }' before) \
    <(awk '/handlers ran/ { print $1, $2, $3, $4 }' after)

# An export that is ended by the user leaves nothing behind, also in the moment in which its file is made.
cat >long.c <<'C'
volatile int n;
__attribute__((noinline)) static void rare(int i) { if (i) n++; }
int main(void) { for (int i = 0; i < 10000000; i++) { if (i % 3) n++; if (i % 4000000 == 3000000) rare(i); } return n == 0; }
C
"$cotree" cc -O1 -fcotree=trace long.c -o long
COTREE_FILE=long.cotree ./long
mkdir ended
cat >ending.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
int open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    int mode = flags & O_CREAT ? va_arg(rest, int) : 0;
    va_end(rest);
    int fd = ((int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open"))(path, flags, mode);
    if (flags & O_CREAT && strstr(path, "ended/")) raise(SIGTERM);
    return fd;
}
C
"clang-${LLVM:-19}" -O1 -shared -fPIC ending.c -o ending.so
for at_once in '' "$PWD/ending.so"; do
    LD_PRELOAD=$at_once "$cotree" trace --export=jsonl -o ended/out ./long long.cotree 2>messages &
    until [ "$at_once" ] || [ -n "$(ls ended)" ]; do
        sleep 0.01
        kill -0 $! || { echo "no export: $(cat messages)"; exit 1; }
    done
    [ "$at_once" ] || kill -TERM $!
    s=0; wait $! || s=$?
    [ $s -eq 143 ] && [ -z "$(ls ended)" ] ||
        { echo "an export that was ended has status $s and leaves '$(ls ended)'"; exit 1; }
done

# Places are found in a packed trace of many chunks, and what is there is there whatever chunk is read first.
looks() { "$cotree" trace --no-pager "$@" ./long long.cotree; }
looks --find=rare >unpacked
"$cotree" trace --pack long.cotree
looks --find=rare | cmp - unpacked
[ "$(wc -l <unpacked)" = 2 ]
id=$(looks --export=blocks --to=rare --last=1 | sed -n '2s/ 0$//p')
while read -r at _; do
    [ "$(looks --export=blocks --from="$at" --to="$at" | sed 1d)" = "$id 0" ]
    looks --export=blocks --last=99 >last
    [ "$(wc -l <last)" = 100 ]
    looks --export=blocks --from="$at" --last=99 | cmp - last
    looks --list --no-source --from=$((at - 4)) --to="$at" | tail -n 2 | grep -q '^ *[0-9]*  *rare()$'
done <unpacked
at=$(awk 'NR == 1 { print $1 }' unpacked)
looks --export=blocks --to=rare --last=7 >last
[ "$(wc -l <last)" = 8 ]
looks --export=blocks --from=$((at - 6)) --to="$at" | cmp - last

# Who reads no more ends it, as with any other program.
{ looks --export=blocks 2>said || echo $? >ended.status; } | head -n 1 >out
[ "$(cat ended.status)" = 141 ]
[ ! -s said ]
[ "$(cat out)" = "$(looks --export=blocks --to=0 | head -n 1)" ]
mkfifo pipe
: <pipe & exec 3>pipe; wait
for what in --list --find=long.c:3; do
    status=0; looks $what >&3 2>said || status=$?
    [ $status = 141 ] && [ ! -s said ] || { echo "$what: $status"; cat said; exit 1; }
done
exec 3>&-

# Steps of handlers are told from those of the thread that they interrupted, nested ones too.
cat >nested.c <<'C'
#include <signal.h>
static volatile int deep;
static void on_signal(int number)
{
    if (++deep < 3)
        raise(number);
}
int main(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_NODEFER};
    sigaction(SIGUSR1, &action, 0);
    return raise(SIGUSR1);
}
C
"$cotree" cc -w -O1 -fcotree=trace nested.c -o nested
COTREE_FILE=nested.cotree ./nested
"$cotree" trace --export=jsonl nested nested.cotree >steps
jq -es '(map([.process, .thread, .stream, .at, .kind, .depth]) | length == (unique | length)) and
    ([.[] | select(.signal == 10) | .stream] | unique | length) == 3' steps >/dev/null
