/*
 * Four threads count in the same places at once, and end well: no count is lost.
 *
 * group: threads
 * output: 800000
 * status: 0
 */
#include "frames.h"
#include <pthread.h>

static _Thread_local volatile int mine;
static int total;
NOINLINE static void step(int i)
{
    if (i % 4)
        mine += 0; /* count: 600000 */
    else
        mine += 1; /* count: 200000 */
}
static void *body(void *p)
{
    for (int i = 0; i < 200000; i++)
        step(i);                                            /* count: 800000 */
    __atomic_fetch_add(&total, mine * 4, __ATOMIC_RELAXED); /* count: 4 */
    return p;
}

int main(void)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, body, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL); /* count: 4 */
    printf("%d\n", total);        /* count: 1 */
    return 0;
}
