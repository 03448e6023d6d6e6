/*
 * A counted shared library calls back, and the callback exits.
 *
 * group: exits
 * output: 30
 * status: 8
 */
#include "frames.h"
#include <stdlib.h>

int each(int n, int (*call)(int));
static volatile int total;
static int callback(int n)
{
    total += n * 2; /* count: 6 */
    if (n == 5) {
        printf("%d\n", total); /* count: 1 */
        exit(8);               /* count: 1 */
    }
    return n & 1; /* count: 5 */
}
static inline int ask(int n)
{
    int r = each(n, callback); /* count: 2 */
    return r + 1;              /* count: 1 */
}

int main(void)
{
    int r = ask(0); /* count: 1 */
    r += ask(50);   /* count: 1 */
    return r;       /* count: 0 */
}
