/*
 * quick_exit in a nested call; a function of at_quick_exit counts, too.
 *
 * group: exits
 * output: quick 3
 * status: 16
 */
#include "frames.h"
#include <stdlib.h>

static volatile int total;
static void never(void)
{
    total = 0; /* count: 0 */
}
static void quick(void)
{
    for (int i = 0; i < 3; i++)
        total++; /* count: 3 */
    printf("quick %d\n", total);
    fflush(stdout); /* count: 1 */
}
NOINLINE static void leave(int n)
{
    if (n > 2)
        quick_exit(16); /* count: 1 */
    leave(n + 1);       /* count: 3 */
    total++;            /* count: 0 */
}

int main(void)
{
    atexit(never);
    at_quick_exit(quick);
    leave(0); /* count: 1 */
    return 0; /* count: 0 */
}
