/* Threads that are cancelled in functions of the C library that lead to nothing traced, with clean-ups of
 * C++, with those of C, and without any; and what runs in them afterwards. */
#include "reporter.h"
#include <cstdio>
#include <pthread.h>
#include <unistd.h>

static int ends[2], sum;
static volatile int is_there;
static pthread_key_t key;

static int collatz(int n)
{
    int steps = 0;
    for (; n != 1; steps++)
        n = n % 2 ? 3 * n + 1 : n / 2;
    return steps;
}
struct guard {
    int number;
    ~guard()
    {
        sum += collatz(number);
    }
};
static void destroy(void *value)
{
    sum += collatz((int)(long)value);
}
static int waits(int n)
{
    char byte;
    int steps = collatz(n);
    is_there = 1;
    steps += (int)read(ends[0], &byte, 1);
    return n % 2 ? steps + collatz(5) : steps;
}
static void *plainly(void *argument)
{
    pthread_setspecific(key, (void *)9L);
    return (void *)(long)waits((int)(long)argument + 3);
}
static void *with_guards(void *argument)
{
    guard outer{7};
    int steps = 0;
    try {
        guard inner{11};
        steps = waits((int)(long)argument + 4);
    } catch (int number) {
        steps = number;
    }
    return (void *)(long)steps;
}
static void *with_handler(void *argument)
{
    int steps;
    pthread_cleanup_push(destroy, (void *)6L);
    steps = waits((int)(long)argument + 5);
    pthread_cleanup_pop(0);
    return (void *)(long)steps;
}

int main()
{
    void *(*const functions[])(void *) = {plainly, with_guards, with_handler};
    if (pipe(ends))
        return 1;
    pthread_key_create(&key, destroy);
    for (int i = 0; i < 9; i++) {
        pthread_t thread;
        void *result;
        is_there = 0;
        if (pthread_create(&thread, nullptr, functions[i % 3], (void *)(long)i))
            return 1;
        while (!is_there)
            sched_yield();
        usleep(2000); /* it is in read, and does not report */
        pthread_cancel(thread);
        pthread_join(thread, &result);
        sum += result == PTHREAD_CANCELED;
    }
    std::printf("%d\n", sum);
}
