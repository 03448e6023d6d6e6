/*
 * SIGALRM of the program's own timer, unhandled, while it computes.
 *
 * group: signals
 * output: go
 * signal: 14
 */
#include "frames.h"
#include <sys/time.h>

static volatile unsigned sink;
static inline unsigned any_step(unsigned x)
{
    switch (x % 7) {
    case 0:
        return x / 7 + 3;
    case 3:
        return x * 5;
    case 5:
        return x ^ 0x1234;
    default:
        return x + 1;
    }
}
NOINLINE static unsigned any_call(unsigned x)
{
    unsigned r = 0;
    for (unsigned i = x & 3; i < 5; i++)
        r += any_step(x + i);
    return r;
}
/* The signal may come before it has returned, where the machine is busy. */
UNCOUNTED static void alarm_soon(void)
{
    struct itimerval once = {{0, 0}, {0, 20000}};
    setitimer(ITIMER_REAL, &once, NULL);
}
NOINLINE static void any_compute(unsigned x)
{
    alarm_soon();
    for (;;) {
        x = any_step(x);
        if (x % 8 == 1)
            x += any_call(x);
        sink = x;
    }
}
NOINLINE static void begin(int n)
{
    for (int i = 0; i < n; i++)
        sink += 1;            /* count: 4 */
    any_compute((unsigned)n); /* count: 1 */
    sink = 0;                 /* count: 0 */
}

int main(void)
{
    printf("go\n");
    fflush(stdout);
    begin(4); /* count: 1 */
    return 0; /* count: 0 */
}
