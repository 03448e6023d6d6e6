/*
 * A handler with SA_RESETHAND: the first signal is handled, the second one ends the program.
 *
 * group: signals
 * output: 1
 * signal: 10
 */
#include "frames.h"
#include <signal.h>

static volatile int handled, total;
static void handler(int number)
{
    handled += number == SIGUSR1; /* count: 1 */
    printf("%d\n", handled);
    fflush(stdout); /* count: 1 */
}
NOINLINE static void again(int n)
{
    total++; /* count: 5 */
    if (n == 0)
        raise(SIGUSR1); /* count: 2 */
    else
        again(n - 1); /* count: 3 */
    total++;          /* count: 2 */
}

int main(void)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESETHAND};
    sigaction(SIGUSR1, &action, NULL);
    again(1); /* count: 1 */
    again(2); /* count: 1 */
    return 0; /* count: 0 */
}
