/*
 * Destructors of thread-specific data run after pthread_exit left the thread's frames; they count, one
 * of them is cut itself.
 *
 * group: threads
 * output: 6
 * status: 0
 */
#include "frames.h"
#include <pthread.h>

static pthread_key_t key;
static volatile int total;
static void destroys(void *p)
{
    for (int i = 0; i < 3; i++)
        total += i; /* count: 6 */
    if (p == &total)
        total += 0; /* count: 2 */
}
NOINLINE static void leave(int n)
{
    if (n == 0)
        pthread_exit(NULL); /* count: 2 */
    leave(n - 1);           /* count: 3 */
    total = -1;             /* count: 0 */
}
static void *body(void *p)
{
    pthread_setspecific(key, (void *)&total);
    leave((int)(long)p); /* count: 2 */
    return p;            /* count: 0 */
}

int main(void)
{
    pthread_key_create(&key, destroys);
    for (long i = 1; i < 3; i++) {
        pthread_t t;
        pthread_create(&t, NULL, body, (void *)i);
        pthread_join(t, NULL); /* count: 2 */
    }
    printf("%d\n", total); /* count: 1 */
    return 0;
}
