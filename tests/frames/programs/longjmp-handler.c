/*
 * siglongjmp out of a handler, over the handler's frame, that of raise, and counted frames.
 *
 * group: jumps
 * output: 6 21
 * status: 0
 */
#include "frames.h"
#include <setjmp.h>
#include <signal.h>

static sigjmp_buf home;
static volatile int jumps, total;
static inline void jump(int n)
{
    jumps++;             /* count: 6 */
    siglongjmp(home, n); /* count: 6 */
}
static void handler(int number)
{
    if (total % 2 == 0)
        jump(number); /* count: 2 */
    else
        jump(-number); /* count: 4 */
    total = 0;
}
NOINLINE static void down(int n)
{
    total++; /* count: 21 */
    if (n == 0)
        raise(SIGUSR2); /* count: 6 */
    else
        down(n - 1); /* count: 15 */
    total = 0;       /* count: 0 */
}

int main(void)
{
    signal(SIGUSR2, handler);
    for (volatile int i = 0; i < 6; i++) {
        int back = sigsetjmp(home, 1);
        if (back == 0)
            down(i); /* count: 6 */
        if (back < 0)
            total += 0; /* count: 4 */
    }
    printf("%d %d\n", jumps, total); /* count: 1 */
    return 0;
}
