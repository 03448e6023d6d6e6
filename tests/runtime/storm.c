/*
 * Jumps all the time, and two timers whose handlers jump out of whatever they interrupt: the C library, the
 * program's functions, other jumps, one another. Each function t_NAME counts, at labels of their own, that it
 * was entered and that it returned; argument: how many times handlers jump before the end.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>
#include "handmade.h"

COUNTERS(counters, 0x5001, 10)
#define ENTERED(name, number)                                                                                \
    __asm__ volatile("entered_" #name ": incq %0" : "+m"(counters[COUNTERS_HEADER_WORDS + 2 * (number)]))
#define LEFT(name, number)                                                                                   \
    __asm__ volatile("left_" #name ": incq %0" : "+m"(counters[COUNTERS_HEADER_WORDS + 2 * (number) + 1]))

static sigjmp_buf outer, in_handler[64];
static jmp_buf inner;
static volatile int jumps, wanted, nested, may_jump;

__attribute__((noinline)) static void t_deep(int level)
{
    ENTERED(t_deep, 0);
    if (level > 0)
        t_deep(level - 1);
    else
        longjmp(inner, 1);
    LEFT(t_deep, 0);
}

__attribute__((noinline)) static void t_inner(void)
{
    volatile int round = 0;
    ENTERED(t_inner, 1);
    setjmp(inner);
    if (round++ < 20)
        t_deep(round % 5);
    LEFT(t_inner, 1);
}

__attribute__((noinline)) static void t_outer(void)
{
    ENTERED(t_outer, 2);
    sigsetjmp(outer, 1);
    may_jump = 1;
    nested = 0;
    while (jumps < wanted)
        t_inner();
    may_jump = 0;
    LEFT(t_outer, 2);
}

__attribute__((noinline)) static void t_handler(int signal)
{
    int level = nested++ % 64;
    volatile int round = 0;
    ENTERED(t_handler, 3);
    if (level >= 8) { /* on a slow machine there would be no end */
        sigset_t both;
        sigemptyset(&both);
        sigaddset(&both, SIGALRM);
        sigaddset(&both, SIGVTALRM);
        sigprocmask(SIG_BLOCK, &both, NULL);
    }
    sigsetjmp(in_handler[level], 0);
    if (round++ < (signal == SIGALRM ? 3 : 1))
        siglongjmp(in_handler[level], 1);
    if (nested > 8 || (jumps & 7) != 0) {
        jumps++;
        if (may_jump)
            siglongjmp(outer, 1);
    } else
        jumps++;
    nested--;
    LEFT(t_handler, 3);
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = t_handler, .sa_flags = SA_NODEFER};
    struct itimerval fast = {{0, 153}, {0, 153}}, faster = {{0, 141}, {0, 141}}, none = {{0, 0}, {0, 0}};
    wanted = argc > 1 ? atoi(argv[1]) : 1000;
    sigaction(SIGALRM, &action, NULL);
    sigaction(SIGVTALRM, &action, NULL);
    setitimer(ITIMER_REAL, &fast, NULL);
    setitimer(ITIMER_VIRTUAL, &faster, NULL);
    t_outer();
    setitimer(ITIMER_REAL, &none, NULL);
    setitimer(ITIMER_VIRTUAL, &none, NULL);
    return 0;
}
