/*
 * An exception leaves the function of a thread: std::terminate, with main and another thread blocked.
 *
 * group: throws
 * output: terminate called after throwing an instance of 'char'
 * signal: 6
 */
#include "frames.h"
#include <pthread.h>

static volatile int ids[2], total;
static void *blocked(void *p)
{
    ids[1] = thread_id();
    pause();   /* count: 1 */
    total = 1; /* count: 0 */
    return p;
}
NOINLINE static void fails(int n)
{
    if (n)
        fails(n - 1); /* count: 2 */
    else
        throw 'x'; /* count: 1 */
    total = 1;     /* count: 0 */
}
static void *body(void *p)
{
    wait_until_asleep(&ids[0]);
    wait_until_asleep(&ids[1]);
    fails(2);  /* count: 1 */
    total = 1; /* count: 0 */
    return p;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, blocked, NULL);
    pthread_create(&t, NULL, body, NULL);
    ids[0] = thread_id();
    pthread_join(t, NULL); /* count: 1 */
    total = 1;             /* count: 0 */
    return 0;              /* count: 0 */
}
