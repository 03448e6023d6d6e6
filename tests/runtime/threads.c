/*
 * Threads of every kind count exactly. Arguments: KIND THREADS COUNTS.
 *   pthread, thrd, timer (SIGEV_THREAD), small (16 KiB stacks), detached, cancel, alive (exit while they
 * sleep), own (stacks of the program's own), key (counts in a key destructor) WAVES, if set, is how many
 * threads run at a time.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include "handmade.h"

#ifndef COUNTERS_N
#define COUNTERS_N 8
#endif
COUNTERS(thread_counters, 0x2001, 4)
COUNTERS(filler, 0x2002, COUNTERS_N)
__thread int user_data = 42;
__thread int user_zero;

static long counts;
static atomic_long done;
static pthread_key_t key;

static void work(void)
{
    if (user_data != 42 || user_zero != 0)
        abort();
    user_data = 1;
    user_zero = 1;
    COUNT(thread_counters, 0);
    for (long i = 0; i < counts; i++)
        COUNT(thread_counters, 1);
    COUNT(thread_counters, 2);
    atomic_fetch_add(&done, 1);
}

static void *run(void *arg)
{
    pthread_setspecific(key, arg);
    work();
    return arg;
}

static void *run_and_wait(void *arg)
{
    work();
    for (;;)
        pause();
    return arg;
}

static int run_thrd(void *arg)
{
    (void)arg;
    work();
    return 0;
}

static void run_timer(union sigval value)
{
    (void)value;
    work();
}

static void at_key(void *arg)
{
    (void)arg;
    COUNT(thread_counters, 3);
}

static void wait_for(long n)
{
    while (atomic_load(&done) < n)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "pthread";
    long n = argc > 2 ? atol(argv[2]) : 1;
    counts = argc > 3 ? atol(argv[3]) : 1;
    long wave = getenv("WAVE") ? atol(getenv("WAVE")) : n;
    pthread_t threads[wave];
    thrd_t others[wave];
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_key_create(&key, strcmp(kind, "key") == 0 ? at_key : NULL);
    if (strcmp(kind, "small") == 0)
        pthread_attr_setstacksize(&attributes, 16384);
    if (strcmp(kind, "detached") == 0)
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    for (long first = 0; first < n; first += wave)
        for (long i = 0; i < wave; i++) {
            int error = 0;
            if (strcmp(kind, "thrd") == 0) {
                error = thrd_create(&others[i], run_thrd, NULL) != thrd_success;
            } else if (strcmp(kind, "timer") == 0) {
                timer_t timer;
                struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = run_timer};
                struct itimerspec at = {.it_value = {0, 1000}};
                error = timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 ||
                        timer_settime(timer, 0, &at, NULL) != 0;
            } else {
                if (strcmp(kind, "own") == 0) {
                    size_t size = 1 << 20;
                    void *stack =
                        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
                    pthread_attr_setstack(&attributes, stack, size);
                }
                int waits = strcmp(kind, "alive") == 0 || strcmp(kind, "cancel") == 0;
                error = pthread_create(&threads[i], &attributes, waits ? run_and_wait : run, &done);
            }
            if (error != 0) {
                fprintf(stderr, "cannot create thread %ld: %d\n", i, error);
                return 1;
            }
            if (i + 1 < wave)
                continue;
            if (strcmp(kind, "pthread") != 0)
                wait_for(first + wave);
            for (long j = 0; j < wave; j++) {
                if (strcmp(kind, "thrd") == 0)
                    thrd_join(others[j], NULL);
                if (strcmp(kind, "cancel") == 0)
                    pthread_cancel(threads[j]);
                if (strcmp(kind, "pthread") == 0 || strcmp(kind, "small") == 0 || strcmp(kind, "own") == 0 ||
                    strcmp(kind, "key") == 0 || strcmp(kind, "cancel") == 0)
                    pthread_join(threads[j], NULL);
            }
        }
    if (strcmp(kind, "detached") == 0 || strcmp(kind, "timer") == 0)
        nanosleep(&(struct timespec){0, 50000000}, NULL);
    return 0;
}
