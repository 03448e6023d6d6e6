/*
 * The handler of SIGALRM forks in the middle of a computation: the child goes on with it where its parent was
 * interrupted.
 *
 * group: processes
 * output: child
 * output: parent 7
 * status: 0
 */
#include "frames.h"
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>

static volatile int done, status;
static volatile unsigned sink;
static volatile pid_t child;
static void handler(int number)
{
    (void)number;
    child = fork();
    if (child)
        waitpid(child, (int *)&status, 0); /* count: 1 */
    done = 1;                              /* count: 2 */
}
static inline unsigned any_step(unsigned x)
{
    return x % 3 ? x + 7 : x & 8 ? x / 3 : x * 2 + 1;
}
NOINLINE static unsigned any_loop(unsigned x)
{
    struct itimerval once = {{0, 0}, {0, 3000}};
    setitimer(ITIMER_REAL, &once, NULL); /* count: 1 */
    while (!done) {
        x = any_step(x);
        if (x % 5 == 2)
            sink += x;
    }
    return x;
}

int main(void)
{
    signal(SIGALRM, handler);
    sink += any_loop(5); /* count: 1 */
    if (child == 0) {
        printf("child\n");
        return 7; /* count: 1 */
    }
    printf("parent %d\n", WEXITSTATUS(status)); /* count: 1 */
    return 0;
}
