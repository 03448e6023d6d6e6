/*
 * longjmp into and over frames whose size depends on the run (arrays of variable length, alloca).
 *
 * group: jumps
 * output: 12 78
 * status: 0
 */
#include "frames.h"
#include <alloca.h>
#include <setjmp.h>

static jmp_buf home;
static volatile int jumps, total;
NOINLINE static void leap(volatile char *p, int n)
{
    total += n; /* count: 12 */
    p[n] = 1;   /* count: 12 */
    jumps++;    /* count: 12 */
    longjmp(home, n);
}
NOINLINE static int middle(int n)
{
    volatile char room[n * 100 + 1]; /* count: 12 */
    room[n] = 2;                     /* count: 12 */
    if (n % 2)
        leap(room, n); /* count: 6 */
    volatile char *more = (volatile char *)alloca((unsigned long)n * 50 + 16);
    more[1] = 3;
    leap(more, n);      /* count: 6 */
    return room[n - 1]; /* count: 0 */
}
NOINLINE static int outer(int n)
{
    volatile int last = 0;
    for (volatile int i = 1; i <= n; i++) {
        volatile char room[i * 64];
        room[i - 1] = 1;
        int back = setjmp(home);
        if (back == 0)
            last += middle(i); /* count: 12 */
        last += room[i - 1];   /* count: 12 */
    }
    return last; /* count: 1 */
}

int main(void)
{
    int last = outer(12); /* count: 1 */
    printf("%d %d\n", last, total);
    return jumps != 12; /* count: 1 */
}
