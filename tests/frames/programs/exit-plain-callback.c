/*
 * Code without counters (qsort and a plain shared library) calls back, and the callback exits.
 *
 * group: exits
 * output: 6
 * status: 2
 */
#include "frames.h"
#include <stdlib.h>

void plain_twice(void (*call)(void *), void *p);
static volatile int total;
static int compare(const void *a, const void *b)
{
    total++; /* count: 6 */
    if (total == 6) {
        printf("%d\n", total);
        exit(2); /* count: 1 */
    }
    return *(const int *)a - *(const int *)b; /* count: 5 */
}
static void sort(void *p)
{
    qsort(p, 4, sizeof(int), compare); /* count: 2 */
    total += 0;                        /* count: 1 */
}

int main(void)
{
    int numbers[4] = {1, 2, 3, 4};
    plain_twice(sort, numbers); /* count: 1 */
    return 0;                   /* count: 0 */
}
