/*
 * exit while eight threads compute: they are stopped anywhere.
 *
 * group: exits
 * output: done
 * status: 3
 */
#include "frames.h"
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static sem_t ready;
static volatile unsigned sink;
static inline unsigned any_step(unsigned x)
{
    if (x & 1)
        return x * 3 + 1;
    if (x % 10 == 4)
        return x ^ 0x55;
    return x / 2 + 7;
}
NOINLINE static unsigned any_leaf(unsigned x)
{
    unsigned r = 0;
    for (unsigned i = 0; i < (x & 7); i++)
        r += any_step(x + i);
    return r;
}
NOINLINE static void any_work(unsigned n)
{
    unsigned x = n;
    sem_post(&ready); /* count: 8 */
    for (;;) {
        x = any_step(x);
        if (x % 16 == 3)
            x += any_leaf(x);
        sink += x;
    }
}
static void *body(void *p)
{
    any_work((unsigned)(long)p); /* count: 8 */
    return p;
}

int main(void)
{
    sem_init(&ready, 0, 0);
    for (long i = 0; i < 8; i++) {
        pthread_t t;
        pthread_create(&t, NULL, body, (void *)i);
    }
    for (int i = 0; i < 8; i++)
        sem_wait(&ready); /* count: 8 */
    usleep(20000);
    printf("done\n");
    exit(3); /* count: 1 */
}
