/*
 * vfork, and the child executes another program, in a nested call; vfork returns twice.
 *
 * group: processes
 * output: 0 1 127
 * status: 0
 */
#include "frames.h"
#include <sys/wait.h>

static volatile int total;
NOINLINE static void run(const char *program)
{
    total++; /* count: 3 */
    if (total > 0)
        execl(program, "program", (char *)NULL); /* count: 3 */
    total += 0;                                  /* count: 1 */
    _exit(127);                                  /* count: 1 */
}
NOINLINE static int start(const char *program)
{
    int status;
    pid_t child = vfork();
    if (child == 0) {
        run(program); /* count: 3 */
        total = 0;    /* count: 0 */
    }
    waitpid(child, &status, 0); /* count: 3 */
    return WEXITSTATUS(status); /* count: 3 */
}

int main(void)
{
    int a = start("/bin/true"), b = start("/bin/false"), c = start("/nowhere/at/all"); /* count: 1 */
    printf("%d %d %d\n", a, b, c);                                                     /* count: 1 */
    return 0;
}
