/*
 * Handlers interrupt each other, three deep, and the innermost one jumps out over all of them.
 *
 * group: jumps
 * output: 5 15
 * status: 0
 */
#include "frames.h"
#include <setjmp.h>
#include <signal.h>

static sigjmp_buf home;
static volatile int depth, total;
static void handler(int number)
{
    total++; /* count: 15 */
    if (++depth < 3)
        raise(number); /* count: 10 */
    else
        siglongjmp(home, 1); /* count: 5 */
    total = 0;               /* count: 0 */
}
NOINLINE static void begin(int n)
{
    if (n > 0)
        begin(n - 1); /* count: 10 */
    else
        raise(SIGUSR1); /* count: 5 */
    total = 0;          /* count: 0 */
}

int main(void)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_NODEFER};
    sigaction(SIGUSR1, &action, NULL);
    volatile int back = 0;
    for (volatile int i = 0; i < 5; i++) {
        depth = 0;
        if (sigsetjmp(home, 1) == 0)
            begin(i); /* count: 5 */
        else
            back++; /* count: 5 */
    }
    printf("%d %d\n", back, total); /* count: 1 */
    return 0;
}
