/*
 * main returns while eight threads are blocked, three calls deep, each at another place.
 *
 * group: exits
 * output: 8
 * status: 0
 */
#include "frames.h"
#include <pthread.h>

static volatile int ids[8], total;
static int ends[2];
NOINLINE static void block(int n)
{
    char c;
    ids[n] = thread_id();
    if (n % 4 == 0) {
        read(ends[0], &c, 1); /* count: 2 */
        total++;              /* count: 0 */
    } else {
        for (int i = 0; i < 3; i++)
            total += n > 100; /* count: 18 */
        if (n % 2)
            pause(); /* count: 4 */
        else
            read(ends[0], &c, 1); /* count: 2 */
    }
    total--; /* count: 0 */
}
static inline int inside(int n)
{
    if (n > 3)
        block(n); /* count: 4 */
    else
        block(n); /* count: 4 */
    return n;     /* count: 0 */
}
static void *body(void *p)
{
    int n = (int)(long)p;           /* count: 8 */
    return (void *)(long)inside(n); /* count: 8 */
}

int main(void)
{
    if (pipe(ends) != 0)
        return 1;
    for (long i = 0; i < 8; i++) {
        pthread_t t;
        pthread_create(&t, NULL, body, (void *)i); /* count: 8 */
    }
    for (int i = 0; i < 8; i++)
        wait_until_asleep(&ids[i]); /* count: 8 */
    printf("%d\n", 8 + total);      /* count: 1 */
    return 0;                       /* count: 1 */
}
