/* An instrumented shared library: constructor, destructor, a function, threads of its own. -DKEY=.. for
 * several of them. */
#include <pthread.h>
#include <unistd.h>
#include "handmade.h"

#ifndef KEY
#define KEY 0x4001
#endif
COUNTERS(library_counters, KEY, 4) /* 0: constructor, 1: work, 2: destructor, 3: threads */

__attribute__((constructor)) static void begin(void)
{
    COUNT(library_counters, 0);
}

__attribute__((destructor)) static void end(void)
{
    COUNT(library_counters, 2);
}

static void *run(void *arg)
{
    for (int i = 0; i < 100; i++)
        COUNT(library_counters, 3);
    return arg;
}

__attribute__((visibility("default"))) void library_work(int times)
{
    for (int i = 0; i < times; i++)
        COUNT(library_counters, 1);
}

__attribute__((visibility("default"))) void library_threads(int threads)
{
    pthread_t thread[64];
    for (int i = 0; i < threads; i++)
        pthread_create(&thread[i], NULL, run, NULL);
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
}
