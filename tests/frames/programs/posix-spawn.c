/*
 * posix_spawn, system and popen: no frame of the program is left or inherited.
 *
 * group: processes
 * output: 0 3 0 4
 * status: 0
 */
#include "frames.h"
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>

extern char **environ;
static volatile int total;
NOINLINE static int start(const char *program)
{
    char name[] = "program", *arguments[] = {name, NULL};
    pid_t child;
    int status = 0;
    if (posix_spawn(&child, program, NULL, NULL, arguments, environ) != 0)
        return 3;               /* count: 1 */
    waitpid(child, &status, 0); /* count: 1 */
    total++;                    /* count: 1 */
    return WEXITSTATUS(status);
}

int main(void)
{
    int a = start("/bin/true"), b = start("/nowhere/at/all");
    int c = system("exit 4"); /* count: 1 */
    FILE *f = popen("exit 0", "r");
    int d = pclose(f);
    printf("%d %d %d %d\n", a, b, d, WEXITSTATUS(c)); /* count: 1 */
    return 0;
}
