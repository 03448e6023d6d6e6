/*
 * Four threads count in the same places at once, and end well: no count is lost.
 *
 * group: threads
 * output: 8000000
 * status: 0
 */
#include "frames.h"
#include <pthread.h>

static _Thread_local volatile int mine;
static int total;
static pthread_barrier_t start;
NOINLINE static void step(int i)
{
    if (i % 4)
        mine += 0; /* count: 6000000 */
    else
        mine += 1; /* count: 2000000 */
}
static void *body(void *p)
{
    pthread_barrier_wait(&start);
    for (int i = 0; i < 2000000; i++)
        step(i);                                            /* count: 8000000 */
    __atomic_fetch_add(&total, mine * 4, __ATOMIC_RELAXED); /* count: 4 */
    return p;
}

int main(void)
{
    pthread_t t[4];
    pthread_barrier_init(&start, NULL, 4);
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, body, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL); /* count: 4 */
    printf("%d\n", total);        /* count: 1 */
    return 0;
}
