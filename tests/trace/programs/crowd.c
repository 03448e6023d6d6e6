/* Twenty-four threads that are joined, each of which writes ROUNDS times some 50 events. With an argument it
 * executes that program at its end. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#ifndef ROUNDS
#define ROUNDS 20
#endif

enum { THREADS = 24 };
static unsigned results[THREADS];

__attribute__((noinline)) static unsigned mix(unsigned x)
{
    unsigned sum = 0;
    for (int i = 0; i < 60; i++) {
        x = x * 1664525 + 1013904223;
        if (x >> 31)
            sum += x >> 7;
        else if (x >> 30)
            sum ^= x;
    }
    return sum;
}

static void *work(void *argument)
{
    unsigned *result = argument;
    for (unsigned i = 0; i < ROUNDS; i++)
        *result += mix(i + *result);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, &results[i]))
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    if (argc > 1)
        execv(argv[1], argv + 1);
    return 0;
}
