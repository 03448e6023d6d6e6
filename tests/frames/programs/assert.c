/*
 * A failed assertion.
 *
 * group: exits
 * output: program: @/assert.c:16: int check(int): Assertion `n < 9' failed.
 * signal: 6
 */
#include "frames.h"
#undef NDEBUG
#include <assert.h>

static volatile int total;
NOINLINE static int check(int n)
{
    total += n; /* count: 10 */
    assert(n < 9);
    return n; /* count: 9 */
}

int main(void)
{
    for (int i = 0; i < 20; i++)
        total += check(i); /* count: 10 */
    return 0;              /* count: 0 */
}
