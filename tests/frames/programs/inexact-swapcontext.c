/*
 * A coroutine on a stack of its own is left unfinished: nobody knows of it when the program ends.
 *
 * group: jumps
 * output: 0 1 2
 * status: 0
 */
#include "frames.h"
#include <ucontext.h>

static ucontext_t home, away;
static volatile int value;
static char stack[65536];
NOINLINE static void yield(int n)
{
    value = n;                 /* count: 3 */
    swapcontext(&away, &home); /* count: 3 */
}
static void coroutine(void)
{
    for (int i = 0;; i++)
        yield(i); /* count: 3 */
}
NOINLINE static int next(void)
{
    swapcontext(&home, &away); /* count: 3 */
    return value;              /* count: 3 */
}

int main(void)
{
    getcontext(&away);
    away.uc_stack.ss_sp = stack;
    away.uc_stack.ss_size = sizeof stack;
    makecontext(&away, coroutine, 0);
    int a = next(), b = next(), c = next(); /* count: 1 */
    printf("%d %d %d\n", a, b, c);          /* count: 1 */
    return 0;
}
