/*
 * SIGKILL in a hot loop: nobody is asked, frames are unknown; the profile says so, and its bounds
 * hold.
 *
 * group: signals
 * output: ready
 * signal: 9
 * send: 9 busy
 * bound: 24
 */
#include "frames.h"

static volatile unsigned sink;
static volatile int total;
static inline unsigned any_step(unsigned x)
{
    if (x % 3)
        return x + 5;
    return x & 4 ? x / 3 : x * 2 + 1;
}
NOINLINE static unsigned any_call(unsigned x)
{
    for (unsigned i = 0; i < x % 6; i++)
        x = any_step(x);
    return x;
}
NOINLINE static void any_compute(unsigned x)
{
    for (;;) {
        x = any_call(any_step(x));
        sink = x;
    }
}
NOINLINE static void before(int n)
{
    for (int i = 0; i < n; i++)
        if (i % 3)
            total++; /* count: 6 */
        else
            total--; /* count: 4 */
    total += 0;      /* count: 1 */
}

int main(void)
{
    before(10);
    printf("ready\n");
    fflush(stdout); /* count: 1 */
    any_compute(5); /* count: 1 */
    return 0;
}
