/*
 * A division by zero that nobody catches.
 *
 * group: signals
 * output: go
 * signal: 8
 */
#include "frames.h"

static volatile int total;
NOINLINE static int divide(volatile int *a, volatile int *b)
{
    int r = *a / *b; /* count: 6 */
    if (r > 10)
        total++; /* count: 3 */
    return r;    /* count: 5 */
}
NOINLINE static int all(int n)
{
    int r = 0;
    for (int i = n; i > -5; i--) {
        volatile int a = 36, b = i;
        r += divide(&a, &b); /* count: 6 */
        total += 0;          /* count: 5 */
    }
    return r; /* count: 0 */
}

int main(void)
{
    printf("go\n");
    fflush(stdout);
    int r = all(5); /* count: 1 */
    total += r;     /* count: 0 */
    return r;       /* count: 0 */
}
