/* Functions that only their unit can call: their entries follow from its calls. Small ones, several calls in a block, loops, recursion, callbacks
 * that call them, handlers that do, threads that do, and calls that no path reaches. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static int leaf(int x) { return 3 * x + 1; }
static int twice(int x) { return leaf(x) + leaf(x + 1); }
static int chosen(int x)
{
    if (x % 3 == 0)
        return twice(x);
    if (x % 3 == 1)
        return 0;
    return leaf(x);
}
static int looped(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += chosen(i);
    return sum;
}
static int factorial(int n) { return n < 2 ? leaf(0) : n * factorial(n - 1); }
static int odd(int n);
static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
static int odd(int n) { return n == 0 ? leaf(-1) : even(n - 1); }
static int guarded(int x)
{
    if (x < 0)
        abort();
    return x & 1 ? leaf(x) : x;
}
static int never(int x) { return x ? guarded(x) : 0; }
static int compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return guarded(x) - guarded(y) ? x - y : 0;
}
static int early(int x) { return x + 1; }
static int (*pointed)(int);
static int late(int x) { return x ? early(x) : 2; }
static volatile sig_atomic_t handled;
static void count_signal(int by) { handled += by; }
static void handler(int number)
{
    count_signal(number == SIGUSR1 ? 1 : 2);
}
static int step(int x)
{
    switch (x & 3) {
    case 0: return leaf(x);
    case 1: return twice(x);
    default: return 1;
    }
}
static void *thread(void *argument)
{
    long sum = 0;
    for (int i = 0; i < 1000; i++)
        sum += step(i + (int)(long)argument);
    return (void *)sum;
}
static __attribute__((noinline)) int outlined(int x) { return x > 2 ? x : leaf(x); }
static int last(int x) { return outlined(x + 1); } /* a tail call */

int main(void)
{
    int numbers[] = {5, 3, 9, 1, 7, 2, 8};
    printf("%d %d %d\n", looped(20), factorial(7), even(11));
    qsort(numbers, 7, sizeof *numbers, compare);
    for (int i = 0; i < 3; i++)
        numbers[0] += late(i);
    pointed = numbers[1] ? late : NULL; /* called before its address is taken, and after */
    printf("%d %d\n", numbers[0], pointed(4));
    signal(SIGUSR1, handler);
    signal(SIGUSR2, handler);
    for (int i = 0; i < 5; i++)
        raise(i & 1 ? SIGUSR1 : SIGUSR2);
    pthread_t threads[4];
    long sum = 0;
    for (long i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, thread, (void *)i);
    for (int i = 0; i < 4; i++) {
        void *result;
        pthread_join(threads[i], &result);
        sum += (long)result;
    }
    printf("%d %ld %d %d\n", (int)handled, sum, last(0), last(5));
    return 0;
    return never(1);
}
