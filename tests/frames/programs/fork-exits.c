/*
 * Children of fork that end in all ways: exit, _exit, quick_exit, abort, a signal, exec, longjmp
 * first, pthread_exit.
 *
 * group: processes
 * output: 1 2 3 -6 -15 0 7 0
 * status: 0
 */
#include "frames.h"
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

static jmp_buf home;
static volatile int total;
NOINLINE static void end(int how)
{
    total++; /* count: 8 */
    switch (how) {
    case 0:
        exit(1); /* count: 1 */
    case 1:
        _exit(2); /* count: 1 */
    case 2:
        quick_exit(3); /* count: 1 */
    case 3:
        abort(); /* count: 1 */
    case 4:
        raise(SIGTERM); /* count: 1 */
        break;
    case 5:
        execl("/bin/true", "true", (char *)NULL); /* count: 1 */
        break;
    case 6:
        longjmp(home, 7); /* count: 1 */
    default:
        pthread_exit(NULL); /* count: 1 */
    }
    total = 0; /* count: 0 */
}
NOINLINE static int one(int how)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        end(how);  /* count: 8 */
        total = 0; /* count: 0 */
    }
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status))
        return -WTERMSIG(status); /* count: 2 */
    return WEXITSTATUS(status);   /* count: 6 */
}

int main(void)
{
    int results[8], r = setjmp(home);
    if (r)
        return r; /* count: 1 */
    for (int i = 0; i < 8; i++)
        results[i] = one(i); /* count: 8 */
    for (int i = 0; i < 8; i++)
        printf("%d%c", results[i], i < 7 ? ' ' : '\n'); /* count: 8 */
    return 0;                                           /* count: 1 */
}
