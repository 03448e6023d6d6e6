/*
 * bystanders KIND NUMBER: main dies of SIGSEGV in t_end, among NUMBER threads that count nothing.
 *   actions    they change actions of signals all the time
 *   traced     they sleep; the last one is traced by a child of this process; another one waits for children
 *              and says which ones it did not make
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "handmade.h"

COUNTERS(counters, 0xe002, 1)
static volatile int sink;
static pthread_barrier_t started;
static pid_t last, child;

__attribute__((noinline)) void t_end(void)
{
    COUNT(counters, 0);
    *(volatile int *)8 = 1;
    sink++;
}

static void *changes_actions(void *unused)
{
    struct sigaction action = {.sa_handler = SIG_IGN};
    (void)unused;
    pthread_barrier_wait(&started);
    for (;;)
        sigaction(SIGUSR1, &action, NULL);
}

static void *sleeps(void *is_last)
{
    if (is_last != NULL)
        last = (pid_t)syscall(SYS_gettid);
    pthread_barrier_wait(&started);
    for (;;)
        pause();
}

static void *waits(void *unused)
{
    (void)unused;
    for (;;) {
        pid_t ended = waitpid(-1, NULL, __WALL);
        if (ended > 0 && ended != child)
            (void)!write(1, "stranger\n", 9);
        if (ended < 0 && errno == ECHILD)
            pause();
    }
}

/* Traces THREAD of its parent, until that is gone; what happens there goes on. */
static void trace(pid_t thread, int ready)
{
    int status;
    if (ptrace(PTRACE_SEIZE, thread, NULL, NULL) != 0)
        _exit(1);
    (void)!write(ready, "x", 1);
    while (waitpid(thread, &status, __WALL) == thread && WIFSTOPPED(status))
        ptrace(PTRACE_CONT, thread, NULL, (void *)(long)(status >> 16 != 0 ? 0 : WSTOPSIG(status)));
    _exit(0);
}

int main(int argc, char **argv)
{
    int number = argc > 2 ? atoi(argv[2]) : 4, ready[2];
    pthread_t thread;
    char letter;
    if (argc < 2 || pipe(ready) != 0)
        return 9;
    if (strcmp(argv[1], "trace") == 0)
        trace(atoi(argv[2]), atoi(argv[3]));
    int is_traced = strcmp(argv[1], "traced") == 0;
    pthread_barrier_init(&started, NULL, (unsigned)number + 1);
    if (is_traced && pthread_create(&thread, NULL, waits, NULL) != 0)
        return 9;
    for (int i = 0; i < number; i++)
        if (pthread_create(&thread, NULL, is_traced ? sleeps : changes_actions,
                           i == number - 1 ? &last : NULL) != 0)
            return 9;
    pthread_barrier_wait(&started);
    if (is_traced) {
        prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
        char tid[16], descriptor[16];
        snprintf(tid, sizeof tid, "%d", last);
        snprintf(descriptor, sizeof descriptor, "%d", ready[1]);
        /* It is to leave no file of its own. */
        if (posix_spawn(&child, argv[0], NULL, NULL, (char *[]){argv[0], "trace", tid, descriptor, NULL},
                        (char *[]){"COTREE=off", NULL}) != 0)
            return 9;
        close(ready[1]);
        if (read(ready[0], &letter, 1) != 1)
            return 8; /* not allowed */
    }
    usleep(20000);
    t_end();
    return 3;
}
