/*
 * A thread is cancelled, at once, in the middle of a loop that is counted before it runs: the profile says
 * so, and is off by no more than the loop would have counted.
 *
 * group: threads
 * output: cancelled
 * status: 0
 * without: O0
 * bound: 500000000000
 */
#include "frames.h"
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t ready;
static volatile unsigned total;
static unsigned numbers[1024];
NOINLINE static unsigned any_sum(unsigned long n)
{
    unsigned r = 0;
    for (unsigned long i = 0; i < n; i++)
        r += numbers[i % 1024];
    total = r;
    return r;
}
static void *body(void *p)
{
    int old;
    any_sum(1000); /* count: 1 */
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
    sem_post(&ready);        /* count: 1 */
    any_sum(400000000000ul); /* count: 1 */
    total = 1;               /* count: 0 */
    return p;
}

int main(void)
{
    pthread_t t;
    clockid_t clock;
    struct timespec used;
    void *result;
    numbers[total] = 1; /* or there would be nothing to compute */
    sem_init(&ready, 0, 0);
    pthread_create(&t, NULL, body, NULL); /* count: 1 */
    sem_wait(&ready);
    pthread_getcpuclockid(t, &clock);
    do { /* until it computes */
        usleep(1000);
        clock_gettime(clock, &used);
    } while (used.tv_sec == 0 && used.tv_nsec < 20000000);
    pthread_cancel(t);        /* count: 1 */
    pthread_join(t, &result); /* count: 1 */
    printf("%s\n", result == PTHREAD_CANCELED ? "cancelled" : "not cancelled");
    return 0; /* count: 1 */
}
