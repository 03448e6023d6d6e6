/*
 * Jumps over the same frames again and again, and is interrupted in the jump: after one instruction, after
 * two, and so on until it has landed. Arguments: WAY [FRAMES STRIDE], so many frames, and so many
 * instructions more each time. WAY is what the handler does then, out: it jumps out of all that; inside: it
 * jumps itself, and returns; fork: its child ends at once, and it returns. Each function t_NAME counts, at
 * labels of their own, that it was entered and that it returned.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include "handmade.h"

COUNTERS(counters, 0x5001, 10)
#define ENTERED(name, number)                                                                                \
    __asm__ volatile("entered_" #name ": incq %0" : "+m"(counters[COUNTERS_HEADER_WORDS + 2 * (number)]))
#define LEFT(name, number)                                                                                   \
    __asm__ volatile("left_" #name ": incq %0" : "+m"(counters[COUNTERS_HEADER_WORDS + 2 * (number) + 1]))
#define TRAP_FLAG 0x100

static sigjmp_buf outer;
static jmp_buf inner, in_handler;
static const char *way;
/* The compiler puts calls that do not return behind everything else; of these it does not know. */
static void (*volatile jump)(struct __jmp_buf_tag *, int) = longjmp;
static void (*volatile leave)(int) = _exit;
static volatile int stop_at, steps; /* 0: no steps are made */
static volatile int jumping, landed;
static int level = 4, stride = 1;

__attribute__((noinline)) static void t_deep(int left)
{
    ENTERED(t_deep, 0);
    if (left > 0)
        t_deep(left - 1);
    else {
        if (stop_at > 0)
            __asm__ volatile("pushf; orq %0, (%%rsp); popf" ::"i"(TRAP_FLAG) : "memory", "cc");
        jump(inner, 1);
    }
    LEFT(t_deep, 0);
}

__attribute__((noinline)) static void t_inner(int depth)
{
    volatile int first = 1;
    ENTERED(t_inner, 1);
    setjmp(inner);
    jumping = 0;
    if (first) {
        first = 0;
        jumping = 1;
        t_deep(depth);
    }
    LEFT(t_inner, 1);
}

__attribute__((noinline)) static void t_handler(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)info;
    if (!jumping)
        ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
    if (!jumping || ++steps != stop_at)
        return;
    ENTERED(t_handler, 3);
    landed = 0;
    if (strcmp(way, "out") == 0) {
        jump(outer, 1);
    } else if (strcmp(way, "inside") == 0) {
        volatile int round = 0;
        setjmp(in_handler);
        if (round++ < 5)
            jump(in_handler, 1);
    } else {
        pid_t child = fork();
        if (child == 0)
            leave(0);
        waitpid(child, NULL, 0);
    }
    LEFT(t_handler, 3);
}

__attribute__((noinline)) static void t_outer(void)
{
    volatile int at = 0;
    ENTERED(t_outer, 2);
    while (!landed) {
        for (int i = 0; i < 3; i++) { /* by now it is known */
            stop_at = 0;
            t_inner(level);
        }
        steps = 0;
        landed = 1;
        if (sigsetjmp(outer, 1) == 0) {
            stop_at = at += stride;
            t_inner(level);
        }
    }
    printf("%d instructions\n", at);
    LEFT(t_outer, 2);
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_sigaction = t_handler, .sa_flags = SA_SIGINFO};
    way = argc > 1 ? argv[1] : "out";
    if (argc > 3) {
        level = atoi(argv[2]);
        stride = atoi(argv[3]);
    }
    sigaction(SIGTRAP, &action, NULL);
    t_outer();
    return 0;
}
