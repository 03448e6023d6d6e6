#!/usr/bin/env bash
# Programs that look around see nothing of a trace that is recorded and packed beside them:
# children, descriptors, sessions, roots, users; and the trace is whole.
set -eu
cotree=$COTREE_BUILD/cotree
cat >prog.c <<'C'
#define _GNU_SOURCE
#include "steps.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
static void work(void) /* enough for a follower to begin */
{
    long s = 0;
    for (int round = 0; round < 4; round++)
        for (int i = 1; i < 20000; i++)
            s += steps((unsigned)i);
    printf("work %ld\n", s);
    fflush(stdout);
}
static void daemonise(void)
{
    if (fork())
        _exit(0);
    printf("leader %d\n", setsid() == getpid());
    fflush(stdout);
    if (fork())
        _exit(0);
    work();
    exit(0);
}
int main(void)
{
    int status, number = 0, v[3] = {3, 1, 2};
    work();
    qsort(v, 3, sizeof *v, compare);
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    printf("size of children %ld\n", used.ru_maxrss);
    for (int i = 0; i < 3; i++)
        if (!fork())
            exit(i);
    while (wait(&status) > 0)
        number++;
    printf("children %d, then %d\n", number, errno == ECHILD);
    fflush(stdout);
    int pipes[2];
    char byte;
    if (pipe(pipes))
        return 1;
    pid_t child = fork();
    if (!child)
        daemonise();
    close(pipes[1]);
    waitpid(child, NULL, 0);
    printf("end of the pipe %d\n", (int)read(pipes[0], &byte, 1)); /* when all have closed it */
    fflush(stdout);
    closefrom(3);
    printf("next descriptor %d\n", open("/dev/null", O_RDONLY));
    if (!getuid())
        printf("root %d user %d\n", chroot("."), setuid(65534));
    fflush(stdout);
    work();
    return 3;
}
C
"clang-${LLVM:-19}" -O1 -I"$COTREE_TOP/tests/trace/programs" prog.c -o plain
"$cotree" cc -O1 -fcotree=trace -I"$COTREE_TOP/tests/trace/programs" prog.c -o prog
status=0
./plain >wanted || status=$?
[ $status = 3 ]
status=0
COTREE_FILE=t.%p.cotree COTREE_FOLLOWER=$cotree ./prog >got || status=$?
[ $status = 3 ]
cmp wanted got || { diff wanted got; exit 1; }
"$cotree" trace prog t.*.cotree >summary || { cat summary; exit 1; } # waits for followers
[ "$(grep -c 'complete: nothing that was written is lost' summary)" = 7 ] || { cat summary; exit 1; }
"$cotree" report --format=json prog t.*.cotree | jq -e .exact >/dev/null

# A thread that changes stacks: its trace ends there, and is never called exact.
cat >stacks.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
static ucontext_t first, second;
static char stack[65536];
static int turns;
static void step(void)
{
    if (++turns == 101) {
        printf("%d\n", turns);
        exit(0);
    }
}
static void other(void)
{
    for (;; step(), swapcontext(&second, &first))
        turns += turns % 3 == 5;
}
int main(void)
{
    getcontext(&second);
    second.uc_stack.ss_sp = stack;
    second.uc_stack.ss_size = sizeof stack;
    makecontext(&second, other, 0);
    for (;; step(), swapcontext(&first, &second))
        turns += turns % 2 == 5;
}
C
"$cotree" cc -O1 -fcotree=trace stacks.c -o stacks
[ "$(COTREE_FILE=s.cotree ./stacks)" = 101 ]
COTREE=verbose COTREE_TRACE_MAX=10E COTREE_FILE=v.cotree ./stacks 2>&1 |
    grep -q 'COTREE_TRACE_MAX is no size, all is kept: 10E'
"$cotree" trace stacks s.cotree >summary || :
grep -q 'lost: what a thread did after it changed stacks' summary || { cat summary; exit 1; }
"$cotree" report --format=json stacks s.cotree | jq -e '.exact | not' >/dev/null
