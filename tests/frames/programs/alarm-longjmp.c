/*
 * The handler of SIGALRM jumps out of a hot loop, two thousand times, wherever it is.
 *
 * group: signals
 * output: 2000
 * status: 0
 */
#include "frames.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

static sigjmp_buf home;
static volatile unsigned sink;
static volatile int jumps;
static volatile int inside;
UNCOUNTED static void arm(int microseconds)
{
    struct itimerval once = {{0, 0}, {0, microseconds}};
    setitimer(ITIMER_REAL, &once, NULL);
}
NOINLINE static void jump(int number)
{
    inside = 0;               /* count: 2000 */
    jumps++;                  /* count: 2000 */
    siglongjmp(home, number); /* count: 2000 */
}
static void any_handler(int number)
{
    if (inside)
        jump(number);
    arm(30); /* it came too early */
}
static inline unsigned any_step(unsigned x)
{
    if (x % 3 == 0)
        return x / 3;
    return x & 4 ? x * 5 + 1 : x + 11;
}
NOINLINE static unsigned any_call(unsigned x)
{
    for (unsigned i = 0; i < x % 4; i++)
        x = any_step(x + i);
    return x;
}
NOINLINE static void any_loop(unsigned x)
{
    inside = 1;
    for (;;) {
        x = any_step(x);
        if ((x & 31) == 17)
            x ^= any_call(x);
        sink = x;
    }
}

int main(void)
{
    signal(SIGALRM, any_handler);
    while (jumps < 2000) {
        if (sigsetjmp(home, 1) == 0) {
            arm(30 + jumps % 7);
            any_loop((unsigned)jumps); /* count: 2000 */
            sink = 0;                  /* count: 0 */
        }
        sink = 1; /* count: 2000 */
    }
    printf("%d\n", jumps); /* count: 1 */
    return 0;              /* count: 1 */
}
