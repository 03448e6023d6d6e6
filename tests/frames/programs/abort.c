/*
 * abort in an inlined callee.
 *
 * group: exits
 * output: 15
 * signal: 6
 */
#include "frames.h"
#include <stdlib.h>

static inline void check(int n)
{
    if (n * n > 200) {
        printf("%d\n", n);
        fflush(stdout);
        abort(); /* count: 1 */
    }
}
NOINLINE static int run(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        check(i); /* count: 16 */
        sum += i; /* count: 15 */
    }
    return sum; /* count: 0 */
}

int main(void)
{
    int sum = run(100); /* count: 1 */
    return sum;         /* count: 0 */
}
