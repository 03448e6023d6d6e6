/*
 * vfork, and the child ends by _exit: at once, nested, in a loop.
 *
 * group: processes
 * output: 45 5
 * status: 0
 */
#include "frames.h"
#include <sys/wait.h>

static volatile int total;
NOINLINE static void leave(int n)
{
    if (n > 4)
        leave(n - 1); /* count: 15 */
    total++;          /* count: 10 */
    _exit(n);         /* count: 10 */
}
NOINLINE static int start(int n)
{
    int status;
    pid_t child = vfork();
    if (child == 0)
        leave(n); /* count: 10 */
    waitpid(child, &status, 0);
    return WEXITSTATUS(status); /* count: 10 */
}

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 10; i++)
        sum += start(i);                    /* count: 10 */
    printf("%d %d\n", sum + 15, total - 5); /* count: 1 */
    return 0;
}
