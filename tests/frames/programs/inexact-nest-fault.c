/*
 * A fault in three nested loops, of which clang unrolls the innermost whole: each of its rounds has a count
 * of its own, and all of them were made before the outermost began.
 *
 * group: signals
 * output: go
 * signal: 11
 * without: O0
 * bound: 8900
 */
#include "frames.h"
#include <sys/mman.h>

static volatile int total;
NOINLINE static void multiply(double *x, const double *y)
{
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < 20; j++)
            for (int k = 0; k < 20; k++)
                x[i * 20 + j] += y[i * 20 + k] * y[k * 20 + j]; /* count: 4001 */
    total = 1;                                                  /* count: 0 */
}

int main(void)
{
    static double y[400];
    double *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(pages + 512, 4096, PROT_NONE);
    printf("go\n");
    fflush(stdout);
    multiply(pages + 512 - 200, y); /* count: 1 */
    return 0;                       /* count: 0 */
}
