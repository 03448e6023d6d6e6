/*
 * longjmp over frames that are inlined into each other, and into the function that called setjmp.
 *
 * group: jumps
 * output: 5 40
 * status: 0
 */
#include "frames.h"
#include <setjmp.h>

static jmp_buf home;
static volatile int jumps, total;
static inline void leaf(int n)
{
    total++; /* count: 40 */
    if (n % 8 == 7) {
        jumps++;          /* count: 5 */
        longjmp(home, n); /* count: 5 */
    }
    total += 0; /* count: 35 */
}
static INLINE void middle(int n)
{
    leaf(n);    /* count: 40 */
    total += 0; /* count: 35 */
}
static inline int outer(int n)
{
    int sum = 0;
    for (int i = n; i < n + 20; i++) {
        middle(i); /* count: 40 */
        sum += i;  /* count: 35 */
    }
    return sum; /* count: 0 */
}

int main(void)
{
    volatile int round = 0;
    if (setjmp(home))
        round++; /* count: 5 */
    if (round < 5)
        total += outer(round * 8);   /* count: 5 */
    printf("%d %d\n", jumps, total); /* count: 1 */
    return 0;                        /* count: 1 */
}
