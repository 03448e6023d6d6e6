/* Eight threads at once, and some more after them; one leaves by pthread_exit. */
#include "reporter.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int collatz(int n)
{
    int steps = 0;
    while (n != 1) {
        n = n % 2 ? 3 * n + 1 : n / 2;
        steps++;
    }
    return steps;
}
static void leave(int n)
{
    if (n > 6)
        pthread_exit((void *)7L);
}
static void *work(void *argument)
{
    long s = 0, number = (long)argument;
    for (int i = 1; i < 40; i++)
        s += i % 3 ? collatz(i + (int)number) : call_back(collatz, i);
    leave((int)number);
    return (void *)s;
}

int main(void)
{
    long total = 0;
    for (int round = 0; round < 2; round++) {
        pthread_t threads[8];
        for (long i = 0; i < 8; i++)
            if (pthread_create(&threads[i], NULL, work, (void *)i))
                return 1;
        for (int i = 0; i < 8; i++) {
            void *result;
            pthread_join(threads[i], &result);
            total += (long)result;
        }
    }
    printf("%ld\n", total);
    return 0;
}
