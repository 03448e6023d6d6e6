/*
 * One setjmp returns a thousand times: in a condition, in a switch, in a loop, in a function that
 * others inline.
 *
 * group: jumps
 * output: 1000 12 3
 * status: 0
 */
#include "frames.h"
#include <setjmp.h>

static jmp_buf home;
static volatile int returns;
NOINLINE static void back(int n)
{
    longjmp(home, n); /* count: 1006 */
}
NOINLINE static int in_condition(void)
{
    if (setjmp(home) < 1000) {
        returns++;     /* count: 1000 */
        back(returns); /* count: 1000 */
        returns = 0;   /* count: 0 */
    }
    return returns; /* count: 1 */
}
NOINLINE static int in_switch(void)
{
    volatile int sum = 0;
    switch (setjmp(home)) {
    case 0:
        sum += 1; /* count: 1 */
        back(1);  /* count: 1 */
        break;
    case 1:
        sum += 2; /* count: 1 */
        back(3);  /* count: 1 */
        break;
    case 3:
        sum += 4; /* count: 1 */
        back(7);  /* count: 1 */
        break;
    default:
        sum += 5; /* count: 1 */
    }
    return sum; /* count: 1 */
}
NOINLINE static int in_loop(void)
{
    volatile int sum = 0;
    for (volatile int i = 0; i < 3; i++) {
        int r = setjmp(home);
        if (r == 0)
            back(5); /* count: 3 */
        sum++;       /* count: 3 */
    }
    return sum; /* count: 1 */
}

int main(void)
{
    int a = in_condition(), b = in_switch(), c = in_loop(); /* count: 1 */
    printf("%d %d %d\n", a, b, c);                          /* count: 1 */
    return 0;
}
