/*
 * exit in a callee that is inlined twice over; the callers stand in the middle of blocks.
 *
 * group: exits
 * output: 21
 * status: 7
 */
#include "frames.h"
#include <stdlib.h>

static volatile int total;
static INLINE void leave(int n)
{
    if (n > 6) {
        printf("%d\n", total); /* count: 1 */
        exit(n);               /* count: 1 */
    }
    total += n; /* count: 7 */
}
static inline int middle(int n)
{
    int before = total; /* count: 8 */
    leave(n);           /* count: 8 */
    before += n;        /* count: 7 */
    return before;      /* count: 7 */
}
NOINLINE static int outer(int n)
{
    int sum = 0;
    for (int i = 0; i <= n; i++) {
        sum += middle(i); /* count: 8 */
        if (i % 2 == 0)
            sum++; /* count: 4 */
    }
    return sum; /* count: 0 */
}

int main(void)
{
    int sum = outer(20); /* count: 1 */
    printf("%d\n", sum); /* count: 0 */
    return sum;
}
