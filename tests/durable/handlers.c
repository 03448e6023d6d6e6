/* Kills itself in recursion, in a program that has a signal handler: `defer` or, with an argument, one that
 * may interrupt itself. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define KEEP __attribute__((noinline))
static volatile int handled, unfinished;

KEEP static int deep(int n)
{
    unfinished++;
    if (n == 0) {
        raise(SIGUSR1);
        printf("%d\n", unfinished);
        fflush(stdout);
        kill(getpid(), SIGKILL);
    }
    int result = deep(n - 1) + 1;
    unfinished--;
    return result;
}

static void handler(int number)
{
    if (handled++ == 0)
        raise(number == SIGUSR1 ? SIGUSR2 : SIGUSR1);
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = argc > 1 ? SA_NODEFER : 0};
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
    return deep(argc > 2 ? atoi(argv[2]) : 50);
}
