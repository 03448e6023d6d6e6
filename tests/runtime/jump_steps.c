/*
 * Jumps over the same frames again and again, and is interrupted in the jump: after one instruction, after
 * two, and so on until it has landed. Arguments: WAY [FRAMES STRIDE], so many frames, and so many
 * instructions more each time. WAY is what the handler does then, out: it jumps out of all that; inside: it
 * jumps itself, and returns; fork: its child ends at once, and it returns. Each function t_NAME counts, at
 * labels of their own, that it was entered and that it returned.
 *
 * To count N instructions takes N traps. So the first round notes where all of its traps come, and later
 * ones have a breakpoint at the address of theirs, which is passed as often as it was passed before. A round
 * that never comes there is made again by single steps.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

enum { ROAD_MOST = 16384, NEVER = 1 << 30, BREAKPOINT = 0xcc };
static unsigned char *road[ROAD_MOST]; /* where the traps of the first round came */
static int road_length;
static unsigned char *volatile breakpoint; /* where it is to stand, if one is used */
static unsigned char instruction;          /* what stands there otherwise */
static volatile int passes;                /* so often it is passed before the handler acts */
static volatile int planted, passing;

/* Is there a breakpoint for the trap of this number? */
static int choose_breakpoint(int number)
{
    unsigned char *page;
    if (number > road_length)
        return 0;
    breakpoint = road[number - 1];
    passes = 0;
    for (int i = 0; i < number - 1; i++)
        passes += road[i] == breakpoint;
    page = (unsigned char *)((uintptr_t)breakpoint & ~(uintptr_t)4095);
    if (mprotect(page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) {
        breakpoint = NULL;
        return 0;
    }
    instruction = *breakpoint;
    return 1;
}

static void lift_breakpoint(void)
{
    if (planted)
        *breakpoint = instruction;
    planted = passing = 0;
}

/* The trap of a breakpoint, or of the step behind one that is passed: is it where the handler acts? */
static int breakpoint_reached(ucontext_t *context)
{
    if (passing) {
        context->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
        passing = 0;
        *breakpoint = BREAKPOINT;
        return 0;
    }
    *breakpoint = instruction;
    context->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)breakpoint;
    if (jumping && passes > 0) {
        passes--;
        passing = 1;
        context->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
        return 0;
    }
    planted = 0;
    return jumping;
}

/* The trap of a step. */
static int step_reached(ucontext_t *context)
{
    if (!jumping) {
        context->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
        return 0;
    }
    if (stop_at == NEVER && steps < ROAD_MOST)
        road[road_length++] = (unsigned char *)(uintptr_t)context->uc_mcontext.gregs[REG_RIP];
    return ++steps == stop_at;
}

__attribute__((noinline)) static void t_deep(int left)
{
    ENTERED(t_deep, 0);
    if (left > 0)
        t_deep(left - 1);
    else {
        if (breakpoint) {
            planted = 1;
            *breakpoint = BREAKPOINT;
        } else if (stop_at > 0)
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
    if (!(planted ? breakpoint_reached(context) : step_reached(context)))
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

/* Rounds after which it is known where the jump goes. */
static inline __attribute__((always_inline)) void known_rounds(void)
{
    for (int i = 0; i < 3; i++) {
        breakpoint = NULL;
        stop_at = 0;
        t_inner(level);
    }
    steps = 0;
}

__attribute__((noinline)) static void t_outer(void)
{
    volatile int at = 0, by_steps = 0;
    ENTERED(t_outer, 2);
    known_rounds();
    stop_at = NEVER;
    t_inner(level);
    while (!landed || !by_steps) {
        if (landed)
            by_steps = 1; /* the breakpoint was not met */
        else
            at += stride, by_steps = 0;
        known_rounds();
        landed = 1;
        if (sigsetjmp(outer, 1) == 0) {
            by_steps |= !choose_breakpoint(at);
            if (by_steps)
                breakpoint = NULL;
            stop_at = at;
            t_inner(level);
        }
        lift_breakpoint();
        breakpoint = NULL;
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
