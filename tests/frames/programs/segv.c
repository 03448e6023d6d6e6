/*
 * An invalid access that nobody catches, in an inlined function in a loop.
 *
 * group: signals
 * output: go
 * signal: 11
 */
#include "frames.h"

static volatile int total;
static int numbers[64], *volatile base = numbers, *volatile nowhere;
static inline int look(int i)
{
    int *p = i == 57 ? nowhere : base; /* count: 58 */
    int value = p[i & 1];              /* count: 58 */
    if (value > 0)
        total++;  /* count: 0 */
    return value; /* count: 57 */
}
NOINLINE static int sum(int n)
{
    int r = 0;
    for (int i = 0; i < n; i++) {
        if (i % 3 == 1)
            r += look(i); /* count: 19 */
        else
            r -= look(i); /* count: 39 */
        total = r;        /* count: 57 */
    }
    return r; /* count: 0 */
}

int main(void)
{
    printf("go\n");
    fflush(stdout);
    int r = sum(100); /* count: 1 */
    total += r;       /* count: 0 */
    return r;         /* count: 0 */
}
