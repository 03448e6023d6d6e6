#!/usr/bin/env bash
# A child of fork whose thread has no trace to go on with: where its parent's was lost, what it does
# is declared, by file and process, and its threads and handlers are traced; where nothing was
# traced so far, nothing is missing.
set -eu
cotree=$COTREE_BUILD/cotree
fail() { echo "$*" >&2; exit 1; }
cat >lost.c <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
static ucontext_t here, there;
static char stack[1 << 16];
static volatile int n;
static void other(void) { n++; }
static void *thread(void *unused) { n++; return unused; }
static void handler(int number) { n += number; }
int main(int argc, char **argv)
{
    pthread_t id;
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = sizeof stack;
    there.uc_link = &here;
    makecontext(&there, other, 0);
    swapcontext(&here, &there);
    if (fork() == 0) {
        other();
        if (argc > 1) {
            pthread_create(&id, NULL, thread, NULL);
            pthread_join(id, NULL);
            signal(SIGUSR1, handler);
            raise(SIGUSR1);
        }
        _exit(0);
    }
    wait(NULL);
    return 0;
}
C
"$cotree" cc -O1 -fcotree=trace lost.c -o lost -lpthread
# lost ENTRIES-OF-THREAD ENTRIES-OF-HANDLER [ARGUMENT]
lost() {
    rm -rf data
    mkdir data
    COTREE_FILE=data/%p.cotree ./lost ${3-}
    for step in '' packed; do
        for file in data/*.cotree; do
            [ -z "$step" ] || "$cotree" trace --pack "$file"
        done
        "$cotree" report lost data/*.cotree >text 2>said || fail "lost ${3-} $step: report ends with $?"
        [ ! -s said ] || fail "lost ${3-} $step: $(cat said)"
        named='^    data/[0-9]*.cotree, process [0-9]*: a part of the trace is lost: what a child of fork did'
        [ "$(grep -c "$named" text)" = 1 ] || fail "lost ${3-} $step: $(head -n 6 text)"
        "$cotree" report --format=json lost data/*.cotree |
            jq -r '[.exact, .runs, (.files[].lines[] | select(.line == 11 or .line == 12).count)] |
                map(tostring) | join(" ")' >seen
        [ "$(cat seen)" = "false 2 $1 $2" ] || fail "lost ${3-} $step: $(cat seen)"
    done
}
lost null null
lost 1 1 threads

cat >traced.c <<'C'
#include <pthread.h>
void *forks(void *);
static volatile int n;
void traced(int rounds)
{
    for (int i = 0; i < rounds; i++)
        n++;
}
int main(void)
{
    pthread_t id;
    traced(5);
    pthread_create(&id, NULL, forks, NULL);
    pthread_join(id, NULL);
    traced(2);
    return 0;
}
C
cat >plain.c <<'C'
#include <sys/wait.h>
#include <unistd.h>
void traced(int rounds);
void *forks(void *unused)
{
    for (int i = 0; i < 2; i++)
        if (fork() == 0) {
            if (i)
                traced(9);
            _exit(0);
        }
    while (wait(NULL) > 0)
        ;
    return unused;
}
C
"clang-$LLVM" -O1 -c plain.c
"$cotree" cc -O1 -fcotree=trace traced.c plain.o -o forks -lpthread
for name in %p.cotree %m.cotree; do
    rm -rf data
    mkdir data
    COTREE_FILE=data/$name ./forks
    seen=$("$cotree" report --format=json forks data/*.cotree 2>&1 |
        jq -r '[.exact, .runs, (.files[].lines[] | select(.line == 7).count)] | tostring')
    [ "$seen" = '[true,3,16]' ] ||
        fail "a thread that is not traced forks ($name): $seen"
done
