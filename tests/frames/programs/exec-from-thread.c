/*
 * A thread that is not the first calls exec: all others, main among them, are gone.
 *
 * group: processes
 * output: now
 * output: then
 * status: 0
 */
#include "frames.h"
#include <pthread.h>

static volatile int main_id, total;
NOINLINE static void become(int n)
{
    for (int i = 0; i < n; i++)
        total += i; /* count: 3 */
    printf("now\n");
    fflush(stdout);
    execl("/bin/echo", "echo", "then", (char *)NULL); /* count: 1 */
    total = 0;                                        /* count: 0 */
}
static void *body(void *p)
{
    wait_until_asleep(&main_id);
    become(3); /* count: 1 */
    return p;  /* count: 0 */
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
    return 1; /* count: 0 */
}
