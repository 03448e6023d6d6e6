/*
 * exec four frames deep, with a blocked thread alive: nothing comes back.
 *
 * group: processes
 * output: now
 * output: then
 * status: 0
 */
#include "frames.h"
#include <pthread.h>

static volatile int id, total;
static void *blocked(void *p)
{
    id = thread_id();
    pause();  /* count: 1 */
    return p; /* count: 0 */
}
static inline void become(void)
{
    printf("now\n");
    fflush(stdout);                                   /* count: 1 */
    execl("/bin/echo", "echo", "then", (char *)NULL); /* count: 1 */
    total = 0;                                        /* count: 0 */
}
NOINLINE static void down(int n)
{
    total++; /* count: 4 */
    if (n)
        down(n - 1); /* count: 3 */
    else
        become(); /* count: 1 */
    total--;      /* count: 0 */
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, blocked, NULL);
    wait_until_asleep(&id);
    down(3);  /* count: 1 */
    return 1; /* count: 0 */
}
