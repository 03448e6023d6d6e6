/*
 * exit in a signal handler that a nested call raised.
 *
 * group: exits
 * output: 3 4
 * status: 9
 */
#include "frames.h"
#include <signal.h>
#include <stdlib.h>

static volatile int depth, rounds;
static void handler(int number)
{
    rounds++; /* count: 4 */
    if (rounds < 4)
        return;                       /* count: 3 */
    printf("%d %d\n", depth, rounds); /* count: 1 */
    exit(number == SIGUSR1 ? 9 : 1);  /* count: 1 */
}
NOINLINE static void down(int n)
{
    depth = n; /* count: 8 */
    if (n == 3)
        raise(SIGUSR1); /* count: 4 */
    if (n < 3)
        down(n + 1); /* count: 4 */
    depth = 0;       /* count: 6 */
}

int main(void)
{
    signal(SIGUSR1, handler);
    for (int i = 3; i >= 0; i--)
        down(i == 0 ? 2 : i); /* count: 4 */
    return 0;                 /* count: 0 */
}
