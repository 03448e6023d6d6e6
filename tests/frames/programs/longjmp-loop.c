/*
 * longjmp 100,000 times: events are counted, not listed.
 *
 * group: jumps
 * output: 100000 200000
 * status: 0
 */
#include "frames.h"
#include <setjmp.h>

static jmp_buf home;
static volatile int jumps, total;
NOINLINE static void leap(int n)
{
    jumps++; /* count: 100000 */
    longjmp(home, n);
}
NOINLINE static int work(int n)
{
    total++; /* count: 200000 */
    if (n & 1)
        leap(n); /* count: 100000 */
    total += 0;  /* count: 100000 */
    return n;
}

int main(void)
{
    volatile int i = 0;
    for (i = 0; i < 100000; i++)
        if (_setjmp(home) == 0) {
            work(2 * i);     /* count: 100000 */
            work(2 * i + 1); /* count: 100000 */
            total = -1;      /* count: 0 */
        } else {
            total += 0; /* count: 100000 */
        }
    printf("%d %d\n", jumps, total); /* count: 1 */
    return 0;                        /* count: 1 */
}
