/*
 * exit called again by a function that exit runs: its own frame never returns, the functions left over
 * run all the same.
 *
 * group: exits
 * output: second 3
 * output: first 6
 * status: 5
 */
#include "frames.h"
#include <stdlib.h>

static volatile int total;
static void (*volatile leave)(int) = exit;
static void first(void)
{
    printf("first %d\n", total); /* count: 1 */
}
static void second(void)
{
    for (int i = 0; i < 10; i++) {
        total += i; /* count: 4 */
        if (i == 2)
            printf("second %d\n", total); /* count: 1 */
        if (i == 3)
            leave(5); /* count: 1 */
        total += 0;   /* count: 3 */
    }
    total = 0; /* count: 0 */
}
NOINLINE static void nested(int n)
{
    if (n > 0)
        nested(n - 1); /* count: 4 */
    else
        exit(1); /* count: 1 */
    total++;     /* count: 0 */
}

int main(void)
{
    atexit(first);
    atexit(second);
    nested(4); /* count: 1 */
    return 0;  /* count: 0 */
}
