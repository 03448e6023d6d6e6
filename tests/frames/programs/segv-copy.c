/*
 * An invalid access inside memcpy, which the source calls by the name that checks sizes: optimisation makes
 * an ordinary memcpy of it, and counts wait for that.
 *
 * group: signals
 * output: go
 * signal: 11
 */
#include "frames.h"

void *__memcpy_chk(void *, const void *, size_t, size_t);
static volatile int total;
static volatile size_t size = 5000;
static char from[8000], to[8000], *volatile nowhere;
static inline void copy(char *where, int i)
{
    if (i % 2)
        total++;                                     /* count: 3 */
    __memcpy_chk(where, from, size + i, ~(size_t)0); /* count: 6 */
    total += 0;                                      /* count: 5 */
}
NOINLINE static void all(int n)
{
    for (int i = 0; i < n; i++) {
        copy(i == 5 ? nowhere : to, i); /* count: 6 */
        total += 0;                     /* count: 5 */
    }
    total = 0; /* count: 0 */
}

int main(void)
{
    printf("go\n");
    fflush(stdout);
    all(10);  /* count: 1 */
    return 0; /* count: 0 */
}
