/*
 * Signal handlers that count, at any moment: while threads start and end, while the process forks. Each
 * process prints how often its handler ran, its workers ran and itself; the sums must be in the files.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include "handmade.h"

COUNTERS(counters, 0xa001, 3) /* 0: handler, 1: workers, 2: rounds */

static atomic_ulong handled, worked;

static void handler(int number)
{
    (void)number;
    COUNT(counters, 0);
    atomic_fetch_add(&handled, 1);
}

static void *work(void *arg)
{
    for (int i = 0; i < 500; i++)
        COUNT(counters, 1);
    atomic_fetch_add(&worked, 500);
    return arg;
}

static void timer(long microseconds)
{
    struct itimerval interval = {{0, microseconds}, {0, microseconds}};
    setitimer(ITIMER_REAL, &interval, NULL);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 100;
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    setvbuf(stdout, NULL, _IOLBF, 0);
    sigaction(SIGALRM, &action, NULL);
    timer(100);
    int children = 0;
    for (int i = 0; i < rounds; i++) {
        pthread_t threads[4];
        for (int k = 0; k < 4; k++)
            pthread_create(&threads[k], NULL, work, NULL);
        pid_t pid = i % 10 == 0 ? fork() : -1;
        if (pid == 0) {
            handled = worked = 0;
            timer(0);
            pthread_t own;
            pthread_create(&own, NULL, work, NULL);
            for (int k = 0; k < 20; k++)
                raise(SIGALRM);
            pthread_join(own, NULL);
            printf("%lu %lu 0\n", handled, worked);
            exit(0);
        }
        children += pid > 0;
        for (int k = 0; k < 4; k++)
            pthread_join(threads[k], NULL);
        COUNT(counters, 2);
    }
    timer(0);
    signal(SIGALRM, SIG_IGN);
    for (int status; children > 0; children--)
        if (wait(&status) < 0 || status != 0)
            return 1;
    printf("%lu %lu %d\n", handled, worked, rounds);
    return 0;
}
