/*
 * exit in a callee that is tail-called: at -O2 the caller's activation is over by then, at -O0 it is
 * not, and the counts are the same.
 *
 * group: exits
 * output: 10
 * status: 4
 */
#include "frames.h"
#include <stdlib.h>

static volatile int total;
NOINLINE static int last(int n)
{
    total += n; /* count: 5 */
    if (n == 4) {
        printf("%d\n", total); /* count: 1 */
        exit(n);               /* count: 1 */
    }
    return n; /* count: 4 */
}
NOINLINE static int tail_second(int n)
{
    if (n & 1)
        return last(n); /* count: 2 */
    return last(n + 0); /* count: 3 */
}
NOINLINE static int tail_first(int n)
{
    return tail_second(n); /* count: 5 */
}

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 10; i++)
        sum += tail_first(i); /* count: 5 */
    return sum;               /* count: 0 */
}
