/*
 * A fault right after a loop that is counted, or written into a trace, before it runs, and one before: the loops have
 * ended, and everything is exact.
 *
 * group: signals
 * output: go
 * signal: 11
 */
#include "frames.h"

static char from[8000], to[8000];
static volatile int size = 3000;
static int *volatile nowhere;
NOINLINE static int copy(char *restrict where, const char *restrict what, int n, int *after)
{
    for (int i = 0; i < n; i++)
        where[i] = what[i] ^ 1; /* count: 3020 */
    *after = n;                 /* count: 3 */
    return n;                   /* count: 2 */
}

int main(void)
{
    int last;
    printf("go\n");
    fflush(stdout);
    int r = copy(to, from, size, &last); /* count: 1 */
    r += copy(to, from, 0, &last);       /* count: 1 */
    r += copy(to, from, 20, nowhere);    /* count: 1 */
    return r;                            /* count: 0 */
}
