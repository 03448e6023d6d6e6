/*
 * SIGTERM from outside while the program waits for input, three calls deep.
 *
 * group: signals
 * output: ready
 * signal: 15
 * send: 15 asleep
 */
#include "frames.h"

static volatile int total;
static int ends[2];
static inline int get(void)
{
    char c = 0;
    ssize_t n = read(ends[0], &c, 1); /* count: 1 */
    total += (int)n;                  /* count: 0 */
    return c;                         /* count: 0 */
}
NOINLINE static int wait(int n)
{
    for (int i = 0; i < n; i++)
        total += i; /* count: 6 */
    int c = get();  /* count: 1 */
    return c + n;   /* count: 0 */
}

int main(void)
{
    if (pipe(ends) != 0)
        return 1;
    printf("ready\n");
    fflush(stdout);
    int r = wait(6); /* count: 1 */
    total += r;      /* count: 0 */
    return r;        /* count: 0 */
}
