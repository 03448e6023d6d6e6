/* start_many N PROGRAM: runs PROGRAM 1 .. PROGRAM N, all at once, and waits. */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;

int main(int argc, char **argv)
{
    int n = argc > 2 ? atoi(argv[1]) : 0;
    for (int i = 1; i <= n; i++) {
        char number[16];
        char *arguments[] = {argv[2], number, argc > 3 ? argv[3] : NULL, NULL};
        pid_t pid;
        snprintf(number, sizeof number, "%d", i);
        if (posix_spawn(&pid, argv[2], NULL, NULL, arguments, environ) != 0)
            return 1;
    }
    while (wait(NULL) > 0)
        ;
    return 0;
}
