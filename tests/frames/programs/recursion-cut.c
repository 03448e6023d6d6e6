/*
 * A recursion through two functions is cut a thousand frames deep, at three places.
 *
 * group: exits
 * output: 1001
 * status: 17
 */
#include "frames.h"
#include <stdlib.h>

static volatile int total;
static int odd(int n);
NOINLINE static int even(int n)
{
    total++; /* count: 501 */
    if (n == 0) {
        printf("%d\n", total);
        exit(17); /* count: 1 */
    }
    if (n % 3 == 0)
        return odd(n - 1) + 1; /* count: 166 */
    int r = odd(n - 1);        /* count: 334 */
    total += r;                /* count: 0 */
    return r;                  /* count: 0 */
}
NOINLINE static int odd(int n)
{
    total++;             /* count: 500 */
    int r = even(n - 1); /* count: 500 */
    return r ^ 1;        /* count: 0 */
}

int main(void)
{
    int r = even(1000); /* count: 1 */
    total += r;         /* count: 0 */
    return r;           /* count: 0 */
}
