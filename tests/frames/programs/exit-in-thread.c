/*
 * A thread calls exit while main waits for it, two calls deep.
 *
 * group: exits
 * output: 12
 * status: 11
 */
#include "frames.h"
#include <pthread.h>
#include <stdlib.h>

static volatile int main_id, total;
NOINLINE static void leave(int n)
{
    for (int i = 0; i < n; i++)
        total += i % 2 ? 3 : 1; /* count: 6 */
    wait_until_asleep(&main_id);
    printf("%d\n", total); /* count: 1 */
    exit(11);              /* count: 1 */
}
static void *body(void *p)
{
    leave(6); /* count: 1 */
    return p; /* count: 0 */
}
NOINLINE static void join(pthread_t t)
{
    main_id = thread_id();
    pthread_join(t, NULL); /* count: 1 */
    total = 0;             /* count: 0 */
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, body, NULL);
    join(t);  /* count: 1 */
    return 0; /* count: 0 */
}
