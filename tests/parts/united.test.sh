#!/usr/bin/env bash
# What parts are united: those of one run, each once, of copies that did the same. All else is
# refused with a line that says why, and nothing is written. A part by itself is no profile.
set -u
cotree=$COTREE_BUILD/cotree
ulimit -c 0
failures=0
fail() { echo "$*"; failures=1; }

cat >prog.c <<'C'
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int handled;
static void handler(int number) { handled += number; }
static int step(int i) { return i % 3 ? i % 5 ? i + 1 : i - 2 : i / 2; }
__attribute__((noinline)) int work(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 30; k++)
            sum += step(sum + i * k) & 15;
    return sum;
}
static void *thread(void *argument) { return work(3) ? argument : NULL; }
static void do_thread(void) { pthread_t t; pthread_create(&t, NULL, thread, NULL); pthread_join(t, NULL); }
static void do_fork(void)
{
    pid_t child = fork();
    if (!child) { work(2); exit(0); }
    waitpid(child, NULL, 0);
}
int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "", *part = getenv("COTREE_PART");
    int second = part && part[0] == '2', n = 400, sum = 0, c;
    char text[32] = "";
    while (!strcmp(what, "input") && (c = getchar()) != EOF) sum += c;
    signal(SIGUSR1, handler);
    if (!strcmp(what, "handler")) raise(SIGUSR1);
    if (!strcmp(what, "thread")) do_thread();
    if (!strcmp(what, "fork")) do_fork();
    if (!strcmp(what, "longer") && second) n += 3;
    for (int i = 0; i < n; i++) sum += work(i % 7);
    if (!strcmp(what, "killed") && second) raise(SIGKILL);
    if (!strcmp(what, "status") && second) return 8;
    if (!strcmp(what, "exec")) execlp("true", "true", (char *)NULL);
    snprintf(text, sizeof text, "%d\n", sum);
    fputs(text, stdout);
    fputs("done\n", stderr);
    return 7;
}
C
"$cotree" cc -O2 -pthread -fcotree=paths -fcotree-parts prog.c -o prog || exit 1
"$cotree" cc -O2 -pthread -fcotree=paths prog.c -o other || exit 1

# part FILE I/K RUN [ARGUMENT]: a copy by hand.
part() {
    { COTREE_FILE=$PWD/$1 COTREE_PART=$2 COTREE_RUN=$3 setarch -R "${program:-./prog}" ${4+"$4"}; } >output 2>log </dev/null
}
for i in 1 2 3; do part $i.cotree $i/3 run; done
part whole.cotree 1/1 run
"$cotree" merge -q --unite ./prog 3.cotree 1.cotree 2.cotree -o united || fail "the parts are not united"
"$cotree" merge -q ./prog whole.cotree -o whole || fail "a run in one part is not whole"
"$cotree" report --format=json -o united.json united && "$cotree" report --format=json -o whole.json whole ||
    exit 1
same() { cmp -s <(jq '.functions, .exact' "$1") <(jq '.functions, .exact' "$2"); }
same united.json whole.json || fail "three parts are not what one is"
jq -e '.exact and .runs == 1 and
    ([.functions[] | select(.name == "work") | .entries] == [400])' united.json >said ||
    fail "not 400 calls of work, in one run: $(jq -c '[.exact, .runs]' united.json)"
# Each copy has counted something, and none everything.
sizes=$(for i in 1 2 3; do "$cotree" report --format=json ./prog $i.cotree 2>&1; done)
[ "$(grep -c 'is part . of 3 of a run, and says nothing without parts' <<<"$sizes")" = 3 ] ||
    fail "report takes a part for a profile: $sizes"
grep -q 'is part 2 of 3 .* without parts 1, 3:' <<<"$sizes" || fail "missing parts are not named: $sizes"

# refused WHY FILE...: is uniting these refused with these words?
refused() {
    local why=$1 status=0
    shift
    rm -f none
    "$cotree" merge -q --unite "${program:-./prog}" "$@" -o none 2>said || status=$?
    [ $status != 0 ] && [ ! -e none ] || fail "$* is not refused ($why)"
    grep -qE -- "$why" said && [ "$(wc -l <said)" = 1 ] || fail "$*: '$(cat said)', not '$why'"
}
refused 'part 2 of 3 is missing' 1.cotree 3.cotree
refused 'parts 1 and 3 of 3 are missing' 2.cotree
part two.cotree 2/3 run
refused 'is part 2 of the run, which is there twice' 1.cotree 2.cotree two.cotree
part foreign.cotree 3/3 another
refused 'of different runs .*COTREE_RUN' 1.cotree 2.cotree foreign.cotree
COTREE_RUN='' part nameless.cotree 3/3 ''
refused 'does not say which run' 1.cotree 2.cotree nameless.cotree
part fourth.cotree 3/4 run
refused 'one of 4 parts' 1.cotree 2.cotree fourth.cotree
COTREE_FILE=$PWD/plain.cotree ./prog >output 2>log
refused 'is no part of a run' 1.cotree 2.cotree plain.cotree
program=./other part plain.cotree 2/3 run
refused 'is no part of a run' 1.cotree plain.cotree 3.cotree
"$cotree" cc -O1 -pthread -fcotree=paths -fcotree-parts prog.c -o rebuilt || exit 1
program=./rebuilt part rebuilt.cotree 3/3 run
refused 'of different builds' 1.cotree 2.cotree rebuilt.cotree
part longer.cotree 2/3 run longer
refused 'parted ways: .* switch points' 1.cotree longer.cotree 3.cotree
part status.cotree 2/3 run killed
refused 'cut short, or still runs' 1.cotree status.cotree 3.cotree
cp 2.cotree damaged.cotree
byte=$(od -An -tu1 -j1100 -N1 2.cotree)
printf "\\x$(printf %02x $((byte ^ 1)))" | dd of=damaged.cotree bs=1 seek=1100 conv=notrunc 2>log
[ "$(cmp -l 2.cotree damaged.cotree | wc -l)" = 1 ] || fail "nothing is damaged"
"$cotree" merge -q --unite ./prog 1.cotree damaged.cotree 3.cotree -o none 2>said &&
    fail "a damaged part is united"
head -c 9000 2.cotree >short.cotree
refused "'short.cotree': is (cut|damaged)" 1.cotree short.cotree 3.cotree
refused "no run file|cannot|magic|not" 1.cotree prog.c 3.cotree

# Units that were not built for parts count everything in each copy.
sed 's/static int step.*/int step(int i);/' prog.c >first.c
echo 'int step(int i) { return i % 3 ? i % 5 ? i + 1 : i - 2 : i / 2; }' >second.c
"$cotree" cc -O2 -c -fcotree=paths second.c -o second.o &&
    "$cotree" cc -O2 -pthread -fcotree=paths -fcotree-parts first.c second.o -o mixed || exit 1
program=./mixed
rm -f [12].cotree
for i in 1 2; do part $i.cotree $i/2 run; done
rm -f none
"$cotree" merge -q --unite ./mixed 1.cotree 2.cotree -o none 2>said &&
    fail "a program that is half in parts is united"
grep -q "'step' was compiled without -fcotree-parts" said ||
    fail "not told which function is not in parts: $(cat said)"
program=

# `cotree run`: status, outputs, input.
run() { "$cotree" run -k 3 -o run.out -- ./prog "$@" >output 2>errors; }
COTREE_FILE=$PWD/ignored ./prog >expected 2>log
run; [ $? = 7 ] || fail "run does not end as the program does"
cmp -s expected output && [ "$(grep -c '^done$' errors)" = 1 ] || fail "run prints other than one copy does"
grep -q '3 parts in .run.out., exact' errors || fail "run does not say what it made: $(cat errors)"
"$cotree" report --format=json -o run.json run.out && same run.json whole.json ||
    fail "run counts something else"
head -c 100000 /dev/zero | tr '\0' a | run input
[ $? = 7 ] || fail "run with a pipe as input: $(cat errors)"
"$cotree" report --format=json -o piped.json run.out
head -c 100000 /dev/zero | tr '\0' a >text
run input <text
"$cotree" report --format=json -o file.json run.out && same piped.json file.json ||
    fail "input from a pipe and from a file differ"
jq -e '[.functions[] | select(.name == "main") | .blocks[].count] | max > 100000' file.json >said ||
    fail "input was not read"

# ends_125 WHY ARGUMENT: the run gives no profile.
ends_125() {
    rm -f run.out
    run "$2"
    [ $? = 125 ] && [ ! -e run.out ] && grep -qE -- "$1" errors || fail "run of '$2': $(tail -n 1 errors)"
}
ends_125 'a signal handler of the program ran' handler
ends_125 'several threads' thread
ends_125 'left data of 2 processes' fork
ends_125 'parted ways: .* switch points' longer
ends_125 'parted ways: copy 1 ended with status 7, copy 2 with 8' status
ends_125 'parted ways: copy 1 ended with status 7, copy 2 with 137' killed
"$cotree" run -k 2 -o run.out -- ./no-such-program 2>errors; [ $? = 125 ] ||
    fail "a program that is not there"
grep -q "no-such-program.*No such file" errors || fail "a program that is not there: $(cat errors)"
"$cotree" run -k 2 -o run.out -- true 2>errors; [ $? = 125 ] || fail "a program without data"
grep -q 'left no data' errors || fail "a program without data: $(cat errors)"
[ -z "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'cotree-run.*' -user "$(id -un)" -newer prog 2>log)" ] ||
    fail "run leaves its directory"
# COTREE_PART=off is silent.
COTREE_FILE=$PWD/off.cotree COTREE_PART=off ./prog >output 2>log
[ ! -e off.cotree ] && cmp -s expected output || fail "COTREE_PART=off"

# What cannot be in parts says so.
says() {
    "$cotree" cc -c prog.c -o none.o "${@:2}" 2>said && fail "${*:2} is taken"
    grep -q -- "$1" said || fail "${*:2}: $(head -n 1 said)"
}
says "'trace' cannot be collected in parts" -fcotree=trace -fcotree-parts
says 'bitcode (-flto, -emit-llvm) cannot be collected in parts' -fcotree=paths -fcotree-parts -flto
says '(-fPIC) cannot be collected in parts' -fcotree=paths -fcotree-parts -fPIC
# A program that carries its code is woven for parts.
"$cotree" cc -O2 -pthread -fcotree=edges -fcotree-carry prog.c -o carrying &&
    "$cotree" weave carrying -fcotree=paths -fcotree-parts -o woven || exit 1
"$cotree" run -q -k 3 -o woven.out -- ./woven >output 2>errors
[ $? = 7 ] && "$cotree" report --format=json -o woven.json woven.out ||
    fail "a woven program: $(tail -n 1 errors)"
counts() { jq -S '[.exact, [.functions[] | [.name, .entries, .paths, [.blocks[].count]]]]' "$1"; }
cmp -s <(counts woven.json) <(counts whole.json) || fail "a woven program counts something else"
exit $failures
