/*
 * Threads are cancelled while they sleep, nested, with clean-up handlers.
 *
 * group: threads
 * output: 4 4 1
 * status: 0
 */
#include "frames.h"
#include <pthread.h>

static volatile int cleaned, total, id;
static void clean(void *p)
{
    cleaned += *(int *)p; /* count: 4 */
}
NOINLINE static int rests(int n)
{
    id = thread_id();
    if (n & 1)
        pause(); /* count: 2 */
    else
        sleep(1000); /* count: 2 */
    total = -1;      /* count: 0 */
    return n;        /* count: 0 */
}
static inline int nested(int n)
{
    for (int i = 0; i < n; i++)
        total++;         /* count: 6 */
    return rests(n) + 1; /* count: 4 */
}
static void *body(void *p)
{
    int one = 1;
    pthread_cleanup_push(clean, &one);
    total += nested((int)(long)p); /* count: 4 */
    total = -1;                    /* count: 0 */
    pthread_cleanup_pop(1);
    return p; /* count: 0 */
}
static void *ends(void *p)
{
    return p; /* count: 1 */
}

int main(void)
{
    int cancelled = 0;
    for (long i = 0; i < 4; i++) {
        pthread_t t;
        void *r;
        id = 0;
        pthread_create(&t, NULL, body, (void *)i);
        wait_until_asleep(&id);
        pthread_cancel(t);
        pthread_join(t, &r);
        cancelled += r == PTHREAD_CANCELED; /* count: 4 */
    }
    pthread_t t;
    void *r;
    pthread_create(&t, NULL, ends, &t);
    pthread_join(t, &r);
    printf("%d %d %d\n", cancelled, cleaned, r == &t); /* count: 1 */
    return 0;
}
