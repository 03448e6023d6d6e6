/*
 * The first thread ends by pthread_exit two calls deep; another one goes on and ends the process by
 * returning.
 *
 * group: threads
 * output: alone 6
 * status: 0
 * without: thread
 */
#include "frames.h"
#include <pthread.h>

static volatile int total;
static pthread_t first;
static void *body(void *p)
{
    pthread_join(first, NULL); /* count: 1 */
    for (int i = 0; i < 4; i++)
        total += i; /* count: 4 */
    printf("alone %d\n", total);
    return p; /* count: 1 */
}
NOINLINE static void leave(int n)
{
    if (n > 0)
        leave(n - 1); /* count: 2 */
    else
        pthread_exit(NULL); /* count: 1 */
    total = -1;             /* count: 0 */
}

int main(void)
{
    pthread_t t;
    first = pthread_self();
    pthread_create(&t, NULL, body, NULL);
    leave(2);   /* count: 1 */
    total = -1; /* count: 0 */
    return 1;   /* count: 0 */
}
