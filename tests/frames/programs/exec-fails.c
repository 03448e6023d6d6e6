/*
 * exec fails, four times in four ways, and the program goes on.
 *
 * group: processes
 * output: 4 errors, 12
 * status: 0
 */
#include "frames.h"
#include <errno.h>

static volatile int total, errors;
NOINLINE static void attempt(int n)
{
    char name[] = "x", *arguments[] = {name, NULL};
    if (n == 0)
        execl("/nowhere/at/all", "x", (char *)NULL); /* count: 1 */
    if (n == 1)
        execv("/", arguments); /* count: 1 */
    if (n == 2)
        execvp("no-such-program-anywhere", arguments); /* count: 1 */
    if (n == 3)
        execve("/dev/null", arguments, NULL);     /* count: 1 */
    errors += errno == ENOENT || errno == EACCES; /* count: 4 */
    total++;                                      /* count: 4 */
}
NOINLINE static void nested(int n)
{
    attempt(n); /* count: 4 */
    total += 2; /* count: 4 */
}

int main(void)
{
    for (int i = 0; i < 4; i++)
        nested(i); /* count: 4 */
    printf("%d errors, %d\n", errors, total);
    return 0; /* count: 1 */
}
