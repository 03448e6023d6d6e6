/* Calls in tail position; some must be tail calls or the stack is gone. */
#include <stdio.h>

typedef long step(long n, long sum, int depth);
static step ping, pong, last;

static long last(long n, long sum, int depth)
{
    return depth ? sum + n : sum;
}

static long ping(long n, long sum, int depth)
{
    if (n == 0)
        __attribute__((musttail)) return last(n, sum, depth);
    if (n % 3)
        __attribute__((musttail)) return pong(n - 1, sum + n, depth + 1);
    __attribute__((musttail)) return ping(n - 1, sum ^ n, depth);
}

static long pong(long n, long sum, int depth)
{
    if (n & 1 && depth > 2)
        __attribute__((musttail)) return ping(n - 1, sum + 2, depth - 1);
    __attribute__((musttail)) return ping(n, sum - 1, depth);
}

static step *const table[] = {ping, pong, last};
static long indirect(long n, long sum, int depth)
{
    __attribute__((musttail)) return table[(n + depth) % 3](n, sum, depth);
}

static int plain(int n, int sum)
{
    if (n == 0)
        return sum;
    return plain(n - 1, sum + n % 4);
}

static void nothing(int *p);
static void something(int *p)
{
    if (--*p > 0)
        return nothing(p);
}
static void nothing(int *p)
{
    if (*p % 2 == 0)
        something(p);
    else
        return something(p);
}

int main(void)
{
    printf("%ld\n", ping(300000, 0, 0));
    for (long n = 0; n < 9; n++)
        printf("%ld ", indirect(n, n * 2, (int)n));
    int n = 50;
    something(&n);
    printf("%d %d\n", plain(1000, 0), n);
    return 0;
}
