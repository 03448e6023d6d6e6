/*
 * pthread_exit four calls deep, with clean-up handlers; and thrd_exit.
 *
 * group: threads
 * output: 55 3 7
 * status: 0
 */
#include "frames.h"
#include <pthread.h>
#include <threads.h>

static volatile int cleaned, total;
static void clean(void *p)
{
    cleaned += *(int *)p; /* count: 3 */
}
NOINLINE static int deep(long n)
{
    if (n == 0)
        pthread_exit((void *)55L); /* count: 3 */
    int r = deep(n - 1);           /* count: 6 */
    total += r;                    /* count: 0 */
    return r;                      /* count: 0 */
}
static inline int inlined(long n)
{
    int r = deep(n); /* count: 3 */
    return r + 1;    /* count: 0 */
}
static void *body(void *p)
{
    int one = 1;
    pthread_cleanup_push(clean, &one);
    total += inlined((long)p); /* count: 3 */
    total = -1;                /* count: 0 */
    pthread_cleanup_pop(0);
    return p; /* count: 0 */
}
NOINLINE static void leave(int n)
{
    if (n)
        thrd_exit(n); /* count: 1 */
    total = -2;       /* count: 0 */
}
static int other(void *p)
{
    leave(*(int *)p); /* count: 1 */
    return 1;         /* count: 0 */
}

int main(void)
{
    void *r = NULL;
    for (long i = 1; i < 4; i++) {
        pthread_t t;
        pthread_create(&t, NULL, body, (void *)i);
        pthread_join(t, &r); /* count: 3 */
    }
    thrd_t t;
    int seven = 7, result = 0;
    thrd_create(&t, other, &seven);
    thrd_join(t, &result);
    printf("%ld %d %d\n", (long)r, cleaned, result + total); /* count: 1 */
    return 0;
}
