/*
 * A child forks a child, which forks another one: each inherits more frames, and returns through all
 * of them.
 *
 * group: processes
 * output: 3 6
 * output: 2 6
 * output: 1 6
 * output: 0 6
 * status: 0
 */
#include "frames.h"
#include <sys/wait.h>

static volatile int generation, total;
NOINLINE static void next(int n)
{
    total += n; /* count: 4 */
    if (n < 3) {
        pid_t child = fork();
        if (child == 0) {
            generation++; /* count: 3 */
            next(n + 1);  /* count: 3 */
        } else {
            waitpid(child, NULL, 0); /* count: 3 */
            total = 6;               /* count: 3 */
        }
    }
    total += 0; /* count: 10 */
}

int main(void)
{
    next(0); /* count: 1 */
    printf("%d %d\n", generation, total);
    return 0; /* count: 4 */
}
