/*
 * A thread with asynchronous cancellation is cancelled in the middle of a computation.
 *
 * group: threads
 * output: 5
 * status: 0
 */
#include "frames.h"
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;
static volatile unsigned sink;
static volatile int working;
NOINLINE static void any_work(unsigned x)
{
    for (working = 1;;) {
        if (x & 1)
            x = x * 3 + 1;
        else
            x = x % 7 ? x / 2 : x + 5;
        sink = x;
    }
}
/* However busy the machine is: a thread that is cancelled sooner has not come to its work. */
NOINLINE static void any_wait(void)
{
    while (!working)
        usleep(100);
    working = 0;
}
static void *body(void *p)
{
    int old;
    sem_post(&ready); /* count: 5 */
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
    any_work((unsigned)(long)p);
    return p;
}

int main(void)
{
    int cancelled = 0;
    sem_init(&ready, 0, 0);
    for (long i = 0; i < 5; i++) {
        pthread_t t;
        void *r;
        pthread_create(&t, NULL, body, (void *)i);
        sem_wait(&ready);
        any_wait();
        usleep(2000);
        pthread_cancel(t);
        pthread_join(t, &r);
        cancelled += r == PTHREAD_CANCELED; /* count: 5 */
    }
    printf("%d\n", cancelled);
    return 0;
}
