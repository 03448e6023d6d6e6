/*
 * exit in a constructor: main never begins.
 *
 * group: exits
 * output: 5
 * status: 12
 */
#include "frames.h"
#include <stdlib.h>

static volatile int total;
NOINLINE static int nested(int n)
{
    if (n == 0) {
        printf("%d\n", total); /* count: 1 */
        exit(12);              /* count: 1 */
    }
    total++;                      /* count: 5 */
    return nested(n - 1) + total; /* count: 5 */
}
__attribute__((constructor)) static void start(void)
{
    total = 0;         /* count: 1 */
    total = nested(5); /* count: 1 */
    total += 2;        /* count: 0 */
}

int main(void)
{
    total = 1; /* count: 0 */
    return 0;  /* count: 0 */
}
