/*
 * _Exit in a handler that interrupted a computing loop.
 *
 * group: signals
 * output: ready
 * output: bye
 * status: 15
 * send: 15 busy
 */
#include "frames.h"
#include <signal.h>
#include <stdlib.h>

static volatile unsigned sink;
static void handler(int number)
{
    (void)number;
    write(1, "bye\n", 4); /* count: 1 */
    _Exit(15);            /* count: 1 */
}
NOINLINE static unsigned any_loop(unsigned x)
{
    unsigned r = 1;
    for (unsigned i = 0; i != x; i++) {
        if (r % 3 == i % 5)
            r += i;
        else if (r & 8)
            r ^= 13;
        sink = r;
        if (i == 1000000)
            i = 5;
    }
    return r;
}

int main(void)
{
    signal(SIGTERM, handler);
    printf("ready\n");
    fflush(stdout);                /* count: 1 */
    return (int)any_loop(2000000); /* count: 1 */
}
