/* kill_many N SEED PROGRAM: starts PROGRAM N times, eight at a time, and kills each within a millisecond or
 * so; prints how many ended by themselves. */
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
extern char **environ;

int main(int argc, char **argv)
{
    int n = argc > 3 ? atoi(argv[1]) : 0, ended = 0;
    srand((unsigned)atoi(argv[2]));
    for (int i = 0; i < n; i += 8) {
        pid_t pids[8];
        for (int k = 0; k < 8; k++)
            if (posix_spawn(&pids[k], argv[3], NULL, NULL, argv + 3, environ) != 0)
                return 1;
        for (int k = 0; k < 8; k++) {
            nanosleep(&(struct timespec){0, rand() % 150000}, NULL);
            kill(pids[k], SIGKILL);
        }
        for (int k = 0; k < 8; k++) {
            int status;
            waitpid(pids[k], &status, 0);
            ended += status == 0;
        }
    }
    printf("%d\n", ended);
    return 0;
}
