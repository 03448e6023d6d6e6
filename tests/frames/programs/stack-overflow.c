/*
 * A recursion without end overflows the stack; nobody catches the signal.
 *
 * group: signals
 * output: 3
 * signal: 11
 */
#include "frames.h"
#include <sys/resource.h>

static volatile int total;
NOINLINE static int any_down(int n)
{
    volatile char room[200];
    room[n % 200] = 1;
    int r = n % 3 ? any_down(n + 1) : any_down(n + 1) + 1;
    return r + room[n % 7];
}
NOINLINE static int begin(int n)
{
    for (int i = 0; i < n; i++)
        total++; /* count: 3 */
    printf("%d\n", total);
    fflush(stdout);      /* count: 1 */
    int r = any_down(n); /* count: 1 */
    total = 0;           /* count: 0 */
    return r;            /* count: 0 */
}

int main(void)
{
    struct rlimit limit;
    getrlimit(RLIMIT_STACK, &limit);
    limit.rlim_cur = 512 * 1024;
    setrlimit(RLIMIT_STACK, &limit);
    int r = begin(3); /* count: 1 */
    return r;         /* count: 0 */
}
