/* One of many: counts 1000 and ends; with an argument divisible by ten it is killed after counting. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "handmade.h"

COUNTERS(counters, 0x6001, 2)
#ifdef WORDS
COUNTERS(filler, 0x6002, WORDS)
#endif

static void *run(void *arg)
{
    COUNT(counters, 1);
    return arg;
}

static void one(int number, int threads)
{
    for (int i = 0; i < 1000; i++)
        COUNT(counters, 0);
    for (int i = 0; i < threads; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, run, NULL);
        pthread_join(thread, NULL);
    }
    if (number % 10 == 0)
        kill(getpid(), SIGKILL);
}

/* pool NUMBER | pool many N PROGRAM: starts N of itself by exec, all at once | pool forks N: N children */
int main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "forks") == 0) {
        for (int i = 1; i <= atoi(argv[2]); i++)
            if (fork() == 0) {
                one(i, 0);
                exit(0);
            }
        while (wait(NULL) > 0)
            ;
        return 0;
    }
    one(argc > 1 ? atoi(argv[1]) : 1, argc > 2 ? atoi(argv[2]) : 0);
    return 0;
}
