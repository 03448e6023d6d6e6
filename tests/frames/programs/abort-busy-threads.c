/*
 * abort while four threads compute and forty are blocked.
 *
 * group: exits
 * output: 40
 * signal: 6
 */
#include "frames.h"
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static volatile int ids[40], total;
static volatile unsigned sink;
static sem_t ready;
NOINLINE static void any_work(unsigned x)
{
    sem_post(&ready); /* count: 4 */
    for (;;) {
        if (x % 7 == 3)
            x = x / 2 + 11;
        else if (x & 16)
            x += 3;
        else
            x = x * 5 + 1;
        sink = x;
    }
}
static void *busy(void *p)
{
    any_work((unsigned)(long)p); /* count: 4 */
    return p;
}
NOINLINE static void block(int n)
{
    ids[n] = thread_id();
    pause();    /* count: 40 */
    total = -1; /* count: 0 */
}
static void *blocked(void *p)
{
    block((int)(long)p); /* count: 40 */
    return p;            /* count: 0 */
}
NOINLINE static void leave(int n)
{
    if (n)
        leave(n - 1); /* count: 3 */
    else
        abort(); /* count: 1 */
    total = -1;  /* count: 0 */
}

int main(void)
{
    pthread_t t;
    for (long i = 0; i < 40; i++)
        pthread_create(&t, NULL, blocked, (void *)i); /* count: 40 */
    for (int i = 0; i < 40; i++)
        wait_until_asleep(&ids[i]);
    sem_init(&ready, 0, 0);
    for (long i = 0; i < 4; i++)
        pthread_create(&t, NULL, busy, (void *)i); /* count: 4 */
    for (int i = 0; i < 4; i++)
        sem_wait(&ready);
    printf("%d\n", 40);
    fflush(stdout);
    leave(3); /* count: 1 */
    return 0; /* count: 0 */
}
