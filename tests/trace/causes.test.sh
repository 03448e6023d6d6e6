#!/usr/bin/env bash
# Why the counts of a trace are not exact is said, and nothing else is: threads that lived on, a
# process that was killed, a part that was lost, code that ran after the end.
set -eu
export COTREE_FOLLOWER=off
fail() { echo "$*" >&2; exit 1; }
cotree=$COTREE_BUILD/cotree
cat >prog.c <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>
static volatile long turns;
static ucontext_t here, there;
static char stack[1 << 16];
static void turn(long n) { turns += n % 3 ? 1 : 2; }
static void *work(void *unused)
{
    for (long n = 0;; n++)
        turn(n);
    return unused;
}
static void other(void) { for (long n = 0; n < 100; n++) turn(n); }
static ssize_t late(void *unused, const char *text, size_t size)
{
    (void)unused, (void)text;
    turn((long)size);
    return (ssize_t)size;
}
int main(int argc, char **argv)
{
    pthread_t thread;
    if (argc < 2)
        return 1;
    if (*argv[1] == 's') {
        getcontext(&there);
        there.uc_stack.ss_sp = stack;
        there.uc_stack.ss_size = sizeof stack;
        there.uc_link = &here;
        makecontext(&there, other, 0);
        swapcontext(&here, &there);
        return 0;
    }
    if (*argv[1] == 'w') { /* written by the C library when all exit handlers have run */
        cookie_io_functions_t functions = {.write = late};
        fputs("text", fopencookie(NULL, "w", functions));
        return 0;
    }
    pthread_create(&thread, NULL, work, NULL);
    while (turns < 1000)
        usleep(100);
    if (*argv[1] == 'k')
        raise(SIGKILL);
    if (*argv[1] == 'e')
        _exit(0);
    return 0;
}
C
"$cotree" cc -O1 -fcotree=trace prog.c -o prog -pthread
# says ARGUMENT CAUSE: the only one.
says() {
    rm -f run.cotree*
    COTREE_FILE=run.cotree ./prog "$1" 2>/dev/null || [ "$1" = killed ] || fail "$1 fails"
    for step in '' packed; do
        [ -z "$step" ] || "$cotree" trace --pack run.cotree
        "$cotree" report --format=json prog run.cotree >report.json
        jq -e --arg cause "$2" \
            '(.exact | not) and (.why_not_exact | length == 1 and (.[0] | contains($cause)))' report.json \
            >/dev/null ||
            fail "$1 $step: $(jq -c '.why_not_exact' report.json)"
    done
}
says returns 'the run ended while other threads were alive'
says exits 'the run ended while other threads were alive'
says killed 'killed'
says writes 'what ran when the program had ended is not kept'
says switches 'after it changed stacks'

# A library that is traced, in a program that has counters alone: its trace is not kept, which is said.
echo 'int f(int n) { return n % 3 ? n * 2 : n; }' >library.c
echo 'int f(int); int main(void) { int s = 0; for (int i = 0; i < 10; i++) s += f(i); return s != 72; }' \
    >main.c
"$cotree" cc -O1 -fPIC -shared -fcotree=trace library.c -o libone.so
"$cotree" cc -O1 -fcotree=edges main.c -o counted -L. -lone -Wl,-rpath,"$PWD"
COTREE_FILE=counted.cotree ./counted
"$cotree" report --format=json counted counted.cotree >report.json
jq -e '(.exact | not) and (.why_not_exact | length == 1 and (.[0] | contains("that of a library"))) and
    ([.functions[] | select(.name == "main") | .exact, .entries] == [true, 1])' report.json >/dev/null ||
        fail "library: $(jq -c '.why_not_exact' report.json)"

# With counters beside it, a run that was killed is one, though both say so.
echo 'int main(int argc, char **argv) { for (long n = 0;; n++) if (argc < 2 && n > 9) return !argv; }' >ends.c
"$cotree" cc -O1 -fcotree=trace,edges ends.c -o ends
COTREE_FILE=ends.1.cotree ./ends
COTREE_FILE=ends.2.cotree timeout -s KILL 0.1 ./ends for-ever || :
"$cotree" report --format=json ends ends.1.cotree ends.2.cotree >report.json
jq -e '.why_not_exact | any(contains("1 of 2 runs was killed"))' report.json >/dev/null ||
    fail "killed once: $(jq -c '.why_not_exact' report.json)"

# In a program that is not built by us it has a trace of its own. It may be loaded again and again:
# what it took of the address space goes back, and the process is one run. With addresses each time
# has a file of its own.
cat >loads.c <<'SOURCE'
#include <dlfcn.h>
#include <stdio.h>
#include <sys/mman.h>
int main(void)
{
    for (int i = 0; i < 16; i++) {
        void *library = dlopen("./libone.so", RTLD_NOW);
        int (*f)(int) = library != NULL ? (int (*)(int))dlsym(library, "f") : NULL;
        if (f == NULL || f(4) != 8 || dlclose(library) != 0)
            return 1;
        void *range = mmap(NULL, 1ul << 40, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (range == MAP_FAILED || munmap(range, 1ul << 40) != 0)
            return printf("round %d: no addresses are left\n", i), 1;
    }
    return 0;
}
SOURCE
"clang-$LLVM" loads.c -o loads
for flags in "" -fcotree-trace=addresses; do
    "$cotree" cc -O1 -fPIC -shared -fcotree=trace $flags library.c -o libone.so
    COTREE=off ./loads || fail "$flags, without a trace"
    ./loads || fail "$flags"
    "$cotree" report --format=json libone.so loads.*.cotree >report.json
    runs=1; [ -z "$flags" ] || runs=16
    jq -e ".exact and .runs == $runs"' and ([.functions[] | select(.name == "f") | .entries] == [16])' \
        report.json >/dev/null || fail "$flags: $(jq -c '[.runs, .why_not_exact]' report.json)"
    rm loads.*.cotree*
done
