/*
 * SIGINT from outside while the program computes; its handler calls exit, and functions run at exit.
 *
 * group: signals
 * output: ready
 * output: handled
 * output: end 3
 * status: 24
 * send: 2 busy
 */
#include "frames.h"
#include <signal.h>
#include <stdlib.h>

static volatile unsigned sink;
static volatile int total;
static void end(void)
{
    printf("end %d\n", total); /* count: 1 */
}
static void handler(int number)
{
    for (int i = 0; i < 3; i++)
        total++;         /* count: 3 */
    printf("handled\n"); /* count: 1 */
    exit(number + 22);   /* count: 1 */
}
NOINLINE static void any_compute(unsigned x)
{
    for (;;) {
        for (unsigned i = 0; i < x % 9; i++)
            x += i & 1 ? 3 : 5;
        if (x % 2)
            x = x / 2 + 1;
        sink = x;
    }
}

int main(void)
{
    signal(SIGINT, handler);
    atexit(end);
    printf("ready\n");
    fflush(stdout);
    any_compute(77); /* count: 1 */
    return 0;
}
