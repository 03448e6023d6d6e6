/* clone that shares memory, and suspends its parent, with a stack for the child: a vfork as some programs write it. */
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "truth.h"

static const char *way;
static volatile int seen;
static char stack[65536] __attribute__((aligned(16)));

static int run(void *argument)
{
    T;
    if (strcmp(way, "return") == 0) {
        T;
        return 3;
    }
    T;
    if (strcmp(way, "execute") == 0) {
        T;
        execl("/bin/true", "true", NULL);
        T;
    }
    T;
    if (strcmp(way, "try") == 0) {
        T;
        execl("/nonexistent", "nonexistent", NULL);
        T;
    }
    T;
    if (strcmp(way, "fault") == 0) {
        T;
        *(volatile int *)8 = 1;
        T;
    }
    T;
    if (strcmp(way, "kill") == 0) {
        T;
        raise(SIGKILL);
        T;
    }
    T;
    _exit(4);
}

__attribute__((noinline)) static void spawn(void)
{
    T;
    pid_t child = clone(run, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
    T;
    waitpid(child, NULL, 0);
    T;
    if (seen++ % 2 == 0) {
        T;
        seen += 2;
    }
    T;
}

int main(int count, char **arguments)
{
    way = arguments[1];
    for (int i = 0; i < 3; i++) {
        T;
        spawn();
        T;
    }
    T;
    return 0;
}
