/* cotree.h: dump, reset. Built without cotree (-DPLAIN) the calls do nothing. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include "cotree.h"
#ifdef PLAIN
#define COUNT(name, i) ((void)0)
#else
#include "handmade.h"
COUNTERS(counters, 0x7001, 2)
#endif

static void *run(void *arg)
{
    for (int i = 0; i < 30; i++)
        COUNT(counters, 1);
    return arg;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 10; i++)
        COUNT(counters, 0);
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    printf("%d ", cotree_dump("first.dump"));
    printf("%d ", cotree_dump("/no/such/directory/x"));
    COUNT(counters, 0);
    printf("%d ", cotree_dump("second.dump"));
    printf("%d ", cotree_dump("second.dump"));
    printf("%d\n", cotree_reset());
    for (int i = 0; i < 5; i++)
        COUNT(counters, 0);
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    return 0;
}
