/*
 * siglongjmp out of a handler that runs on an alternate stack, which lies above or below the
 * program's: addresses of the two are not compared.
 *
 * group: jumps
 * output: 6 6
 * status: 0
 */
#include "frames.h"
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>

static sigjmp_buf home;
static volatile int jumps, total;
static char below[65536];
NOINLINE static void leave(int n)
{
    jumps++;             /* count: 6 */
    siglongjmp(home, n); /* count: 6 */
}
static void handler(int number)
{
    total++;       /* count: 6 */
    leave(number); /* count: 6 */
    total = 0;     /* count: 0 */
}
NOINLINE static void down(int n)
{
    if (n > 2)
        raise(SIGUSR1); /* count: 6 */
    else
        down(n + 1); /* count: 12 */
    total = 0;       /* count: 0 */
}
NOINLINE static void on_stack(void *stack)
{
    stack_t s = {.ss_sp = stack, .ss_size = 65536};
    sigaltstack(&s, NULL);
    for (volatile int i = 0; i < 3; i++)
        if (sigsetjmp(home, 1) == 0)
            down(i); /* count: 6 */
        else
            total += 0; /* count: 6 */
}

int main(void)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    sigaction(SIGUSR1, &action, NULL);
    char above[65536];
    on_stack(below); /* count: 1 */
    on_stack(above); /* count: 1 */
    printf("%d %d\n", jumps, total);
    return 0; /* count: 1 */
}
