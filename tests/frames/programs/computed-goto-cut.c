/*
 * Threaded code (computed goto) is left in the middle by exit.
 *
 * group: exits
 * output: 24
 * status: 19
 */
#include "frames.h"
#include <stdlib.h>

NOINLINE static int leave(int value)
{
    printf("%d\n", value);
    exit(19); /* count: 1 */
}
NOINLINE static int run(const int *code)
{
    static const void *const labels[] = {&&add, &&twice, &&loop, &&stop, &&nothing};
    int value = 0, rounds = 0;
#define NEXT goto *labels[*code++]
    NEXT;
add:
    value += 3; /* count: 4 */
    NEXT;
twice:
    value *= 2; /* count: 1 */
    NEXT;
loop:
    rounds++; /* count: 4 */
    if (rounds < 4)
        code -= 2; /* count: 3 */
    NEXT;
nothing:
    NEXT;
stop:
    value += leave(value); /* count: 1 */
    value -= 5;            /* count: 0 */
    NEXT;
}

int main(void)
{
    static const int code[] = {4, 0, 2, 4, 1, 4, 3, 3};
    int value = run(code); /* count: 1 */
    return value;          /* count: 0 */
}
