/*
 * Invalid accesses are caught and jumped away from, a hundred times, and once in code without counters
 * (memset).
 *
 * group: signals
 * output: 101
 * status: 0
 */
#include "frames.h"
#include <setjmp.h>
#include <signal.h>

static sigjmp_buf home;
static volatile int caught, total;
static int numbers[8], *volatile base = numbers, *volatile nowhere;
static void handler(int number)
{
    caught++;                 /* count: 101 */
    siglongjmp(home, number); /* count: 101 */
}
NOINLINE static int fault(int n)
{
    int r = 0;
    for (int i = 0; i < 8; i++) {
        total++; /* count: 442 */
        int *p = i == n ? nowhere : base;
        r += p[i];  /* count: 442 */
        total += r; /* count: 342 */
    }
    return r; /* count: 0 */
}
NOINLINE static void inside_memset(void *p, unsigned long n)
{
    memset(p, 0, n); /* count: 1 */
    total = 0;       /* count: 0 */
}

int main(void)
{
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGSEGV, &action, NULL);
    for (volatile int i = 0; i < 100; i++)
        if (sigsetjmp(home, 1) == 0)
            fault(i % 8); /* count: 100 */
        else
            total += 0; /* count: 100 */
    volatile unsigned long n = 100;
    if (sigsetjmp(home, 1) == 0)
        inside_memset(nowhere, n); /* count: 1 */
    printf("%d\n", caught);        /* count: 1 */
    return 0;
}
