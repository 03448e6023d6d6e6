/*
 * exit, and a function that it runs calls _exit: the frames below exit are not counted twice.
 *
 * group: exits
 * output: 15
 * status: 6
 */
#include "frames.h"
#include <stdlib.h>

static volatile int total;
static void never(void)
{
    total = 99; /* count: 0 */
}
static void last(void)
{
    for (int i = 0; i < 5; i++)
        total += i; /* count: 5 */
    printf("%d\n", total);
    fflush(stdout);
    _exit(6); /* count: 1 */
    total = 0;
}
NOINLINE static int nested(int n)
{
    total++; /* count: 5 */
    if (n == 0)
        exit(1);           /* count: 1 */
    int r = nested(n - 1); /* count: 4 */
    total += r;            /* count: 0 */
    return total;          /* count: 0 */
}

int main(void)
{
    atexit(never);
    atexit(last);
    return nested(4); /* count: 1 */
}
