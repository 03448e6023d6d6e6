/*
 * _exit four calls deep, nothing of what exit does is done.
 *
 * group: exits
 * output: 8
 * status: 14
 */
#include "frames.h"
#include <stdlib.h>

static volatile int total;
static void never(void)
{
    total = 1; /* count: 0 */
}
static inline void leave(void)
{
    if (total >= 8) {
        printf("%d\n", total);
        fflush(stdout); /* count: 1 */
        _exit(14);      /* count: 1 */
    }
}
NOINLINE static void down(int n)
{
    total++; /* count: 8 */
    leave(); /* count: 8 */
    if (n)
        down(n - 1); /* count: 5 */
    total += 0;      /* count: 3 */
}

int main(void)
{
    atexit(never);
    down(0);  /* count: 1 */
    down(1);  /* count: 1 */
    down(10); /* count: 1 */
    return 0; /* count: 0 */
}
