/*
 * A thread makes an invalid access; main waits for it, three others are blocked.
 *
 * group: threads
 * output: 6
 * signal: 11
 */
#include "frames.h"
#include <pthread.h>

static volatile int ids[4], total;
static int *volatile nowhere;
NOINLINE static void block(int n)
{
    ids[n] = thread_id();
    pause();    /* count: 3 */
    total = -1; /* count: 0 */
}
static void *blocked(void *p)
{
    block((int)(long)p); /* count: 3 */
    return p;            /* count: 0 */
}
NOINLINE static void fault(int n)
{
    for (int i = 0; i < 10; i++) {
        total += i; /* count: 4 */
        if (i == n)
            *nowhere = i; /* count: 1 */
        total += 0;       /* count: 3 */
    }
    total = 0; /* count: 0 */
}
static void *faulty(void *p)
{
    for (int i = 0; i < 4; i++)
        wait_until_asleep(&ids[i]);
    printf("%d\n", 6);
    fflush(stdout);
    fault(3); /* count: 1 */
    return p; /* count: 0 */
}

int main(void)
{
    pthread_t t;
    for (long i = 0; i < 3; i++)
        pthread_create(&t, NULL, blocked, (void *)i);
    pthread_create(&t, NULL, faulty, NULL);
    ids[3] = thread_id();
    pthread_join(t, NULL); /* count: 1 */
    total = 0;             /* count: 0 */
    return 0;              /* count: 0 */
}
