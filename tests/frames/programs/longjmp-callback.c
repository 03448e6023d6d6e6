/*
 * longjmp over frames of code without counters: qsort, and a plain shared library.
 *
 * group: jumps
 * output: 8 20
 * status: 0
 */
#include "frames.h"
#include <setjmp.h>
#include <stdlib.h>

void plain_twice(void (*call)(void *), void *p);
static jmp_buf home;
static volatile int total, jumps;
static int compare(const void *a, const void *b)
{
    total++; /* count: 14 */
    if (total % 3 == 2) {
        jumps++;          /* count: 5 */
        longjmp(home, 1); /* count: 5 */
    }
    return *(const int *)a - *(const int *)b; /* count: 9 */
}
static void sort(void *p)
{
    qsort(p, 5, sizeof(int), compare); /* count: 5 */
    total = -99;                       /* count: 0 */
}
static void on_second(void *p)
{
    int *n = p;
    total++; /* count: 6 */
    if (++*n % 2 == 0) {
        jumps++;          /* count: 3 */
        longjmp(home, 2); /* count: 3 */
    }
    total += 0; /* count: 3 */
}

int main(void)
{
    int numbers[5] = {1, 2, 3, 4, 5};
    static int seen;
    for (volatile int i = 0; i < 5; i++)
        if (setjmp(home) == 0)
            plain_twice(sort, numbers); /* count: 5 */
    for (volatile int i = 0; i < 3; i++)
        if (setjmp(home) == 0)
            plain_twice(on_second, &seen); /* count: 3 */
    printf("%d %d\n", jumps, total);       /* count: 1 */
    return 0;
}
