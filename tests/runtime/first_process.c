/*
 * What the first process of a pid namespace does with signals that it has no handler for: nothing.
 *   first_process        is that process
 *   first_process makes  its child is
 * Prints what happened, in lines.
 */
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef COUNTED
#include "handmade.h"
COUNTERS(counters, 0xb001, 1)
#endif

static void say_mask(void)
{
    sigset_t mask;
    sigprocmask(SIG_BLOCK, NULL, &mask);
    int blocked = 0;
    for (int i = 1; i < 65; i++)
        blocked += sigismember(&mask, i) == 1;
    printf("%d signals blocked\n", blocked);
}

static void be_first(void)
{
    static const int numbers[] = {SIGTERM, SIGINT, SIGSEGV, SIGUSR1, SIGALRM};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        printf("raise %d %d\n", numbers[i], raise(numbers[i]));
    int status;
    if (fork() == 0) { /* an ordinary process */
        kill(getppid(), SIGTERM);
        raise(SIGTERM);
        _exit(1);
    }
    wait(&status);
    printf("child: signal %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    say_mask();
    fflush(stdout);
}

int main(int argc, char **argv)
{
    (void)argv;
#ifdef COUNTED
    COUNT(counters, 0);
#endif
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("pid %d\n", argc > 1 ? 0 : (int)getpid());
    if (argc == 1) {
        be_first();
        printf("faults\n");
        fflush(stdout);
        *(volatile int *)(uintptr_t)8 = 1;
        return 1;
    }
    if (unshare(CLONE_NEWPID) != 0)
        return 2;
    pid_t child = fork();
    if (child == 0) {
        be_first();
        exit(3);
    }
    int status;
    waitpid(child, &status, 0);
    printf("status %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
    raise(SIGTERM);
    return 1;
}
