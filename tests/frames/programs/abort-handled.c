/*
 * abort, but the handler of SIGABRT jumps away: the program goes on and ends well. Then the handler is
 * gone, and abort ends it.
 *
 * group: signals
 * output: caught 3
 * signal: 6
 */
#include "frames.h"
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

static sigjmp_buf home;
static volatile int caught;
static void handler(int number)
{
    (void)number;
    caught++;            /* count: 3 */
    siglongjmp(home, 1); /* count: 3 */
}
NOINLINE static void fail(int n)
{
    if (n == 0)
        abort(); /* count: 4 */
    fail(n - 1); /* count: 10 */
    caught += 0; /* count: 0 */
}

int main(void)
{
    signal(SIGABRT, handler);
    for (volatile int i = 1; i < 4; i++)
        if (sigsetjmp(home, 1) == 0)
            fail(i); /* count: 3 */
        else
            caught += 0; /* count: 3 */
    printf("caught %d\n", caught);
    fflush(stdout);
    signal(SIGABRT, SIG_DFL); /* count: 1 */
    fail(4);                  /* count: 1 */
    return 0;                 /* count: 0 */
}
