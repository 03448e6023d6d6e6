/*
 * Cancellation and pthread_exit unwind C++ frames: destructors run, catch (...) sees it and passes it on.
 *
 * group: threads
 * output: 12 4
 * status: 0
 */
#include "frames.h"
#include <pthread.h>

static volatile int destroyed, seen, total, id;
struct guard {
    int n;
    ~guard()
    {
        destroyed += n; /* count: 8 */
    }
};
NOINLINE static void rests(int n)
{
    if (n % 2)
        pthread_exit(NULL); /* count: 2 */
    id = thread_id();
    pause();   /* count: 2 */
    total = 1; /* count: 0 */
}
NOINLINE static void plain(int n)
{
    rests(n);  /* count: 4 */
    total = 1; /* count: 0 */
}
NOINLINE static void guarded(int n)
{
    guard one{1};
    plain(n);  /* count: 4 */
    total = 1; /* count: 0 */
}
static inline void catches(int n)
{
    try {
        guarded(n); /* count: 4 */
        total = 1;  /* count: 0 */
    } catch (...) {
        seen++; /* count: 4 */
        throw;  /* count: 4 */
    }
    total = 1; /* count: 0 */
}
static void *body(void *p)
{
    guard two{2};
    catches((int)(long)p); /* count: 4 */
    total = 1;             /* count: 0 */
    return p;
}

int main(void)
{
    for (long i = 0; i < 4; i++) {
        pthread_t t;
        id = 0;
        pthread_create(&t, NULL, body, (void *)i);
        if (i % 2 == 0) {
            wait_until_asleep(&id);
            pthread_cancel(t); /* count: 2 */
        }
        pthread_join(t, NULL); /* count: 4 */
    }
    printf("%d %d\n", destroyed, seen + total); /* count: 1 */
    return 0;
}
