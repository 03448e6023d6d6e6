/*
 * __builtin_trap, and code that cannot go on behind it.
 *
 * group: signals
 * output: go
 * signal: 4
 */
#include "frames.h"

static volatile int total;
static inline void stop(int n)
{
    if (n == 4)
        __builtin_trap(); /* count: 1 */
    total += n;           /* count: 4 */
}
NOINLINE static void all(int n)
{
    for (int i = 0; i < n; i++) {
        stop(i);    /* count: 5 */
        total += 0; /* count: 4 */
    }
}

int main(void)
{
    printf("go\n");
    fflush(stdout);
    all(10);  /* count: 1 */
    return 0; /* count: 0 */
}
