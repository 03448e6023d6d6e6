/*
 * A fault in the middle of a loop that is counted before it runs: the profile says so, and is off by no more
 * than the loop would have counted.
 *
 * group: signals
 * output: go
 * signal: 11
 * without: O0
 * bound: 5000
 */
#include "frames.h"
#include <sys/mman.h>

static volatile int total;
NOINLINE static int sum(const int *numbers, int n)
{
    int r = 0;
    for (int i = 0; i < n; i++)
        r += numbers[i]; /* count: 1125 */
    total += r;          /* count: 1 */
    return r;            /* count: 1 */
}

int main(void)
{
    int *numbers = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(numbers + 1024, 4096, PROT_NONE);
    printf("go\n");
    fflush(stdout);
    int r = sum(numbers, 100); /* count: 1 */
    r += sum(numbers, 4000);   /* count: 1 */
    return r;                  /* count: 0 */
}
