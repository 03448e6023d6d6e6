/*
 * A handler forks; the child returns from the handler into inherited frames, and from main.
 *
 * group: processes
 * output: 6
 * output: 6 5
 * status: 0
 */
#include "frames.h"
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

static volatile int total, status;
static volatile pid_t child;
static void handler(int number)
{
    total += number == SIGUSR1; /* count: 1 */
    child = fork();
    if (child)
        waitpid(child, (int *)&status, 0); /* count: 1 */
    total++;                               /* count: 2 */
}
NOINLINE static void nested(int n)
{
    total++; /* count: 4 */
    if (n)
        nested(n - 1); /* count: 3 */
    else
        raise(SIGUSR1); /* count: 1 */
    total += 0;         /* count: 8 */
}

int main(void)
{
    signal(SIGUSR1, handler);
    nested(3); /* count: 1 */
    if (child == 0) {
        printf("%d\n", total);
        return 5; /* count: 1 */
    }
    printf("%d %d\n", total, WEXITSTATUS(status)); /* count: 1 */
    return 0;
}
