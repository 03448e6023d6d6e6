/*
 * A fatal signal inside a handler, inside a handler: all frames are left, those of interrupted code
 * too.
 *
 * group: signals
 * output: 1 2
 * signal: 11
 */
#include "frames.h"
#include <signal.h>

static volatile int first, second;
static int *volatile nowhere;
static void on_usr2(int number)
{
    second += number != 0 ? 2 : 0; /* count: 1 */
    printf("%d %d\n", first, second);
    fflush(stdout);
    *nowhere = 1; /* count: 1 */
    second = 0;   /* count: 0 */
}
NOINLINE static void nested(void)
{
    raise(SIGUSR2); /* count: 1 */
    second = 0;     /* count: 0 */
}
static void on_usr1(int number)
{
    first++; /* count: 1 */
    if (number)
        nested(); /* count: 1 */
    first = 0;    /* count: 0 */
}
NOINLINE static void begin(int n)
{
    if (n == 0)
        raise(SIGUSR1); /* count: 1 */
    else
        begin(n - 1); /* count: 3 */
    first = 0;        /* count: 0 */
}

int main(void)
{
    signal(SIGUSR1, on_usr1);
    signal(SIGUSR2, on_usr2);
    begin(3); /* count: 1 */
    return 0; /* count: 0 */
}
