/*
 * Nobody catches: std::terminate, with the frames of the throw still there.
 *
 * group: throws
 * output: 3
 * output: terminate called after throwing an instance of 'int'
 * signal: 6
 */
#include "frames.h"

static volatile int total;
NOINLINE static void down(int n)
{
    total++; /* count: 4 */
    if (n == 0) {
        printf("%d\n", total - 1);
        fflush(stdout); /* count: 1 */
        throw n;        /* count: 1 */
    }
    down(n - 1); /* count: 3 */
    total = 0;   /* count: 0 */
}

int main(void)
{
    try {
        down(3); /* count: 1 */
    } catch (char) {
        total = 0; /* count: 0 */
    }
    return 0; /* count: 0 */
}
