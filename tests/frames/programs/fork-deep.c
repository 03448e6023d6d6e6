/*
 * fork ten frames deep: the child returns through the inherited frames, from main.
 *
 * group: processes
 * output: child 30
 * output: parent 3
 * status: 3
 */
#include "frames.h"
#include <sys/wait.h>

static volatile int total;
NOINLINE static int split(void)
{
    total += 10; /* count: 1 */
    pid_t child = fork();
    if (child == 0)
        return 1; /* count: 1 */
    int status;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status); /* count: 1 */
}
NOINLINE static int down(int n)
{
    total++; /* count: 10 */
    int r;
    if (n == 1)
        r = split(); /* count: 1 */
    else if (n % 2)
        r = down(n - 1); /* count: 4 */
    else
        r = down(n - 1) + 0; /* count: 5 */
    total++;                 /* count: 20 */
    return r;                /* count: 20 */
}

int main(void)
{
    int r = down(10); /* count: 1 */
    if (r == 1) {
        printf("child %d\n", total);
        return 3; /* count: 1 */
    }
    printf("parent %d\n", r);
    return r; /* count: 1 */
}
