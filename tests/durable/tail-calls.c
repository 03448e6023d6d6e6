/* Recursion that needs constant stack only if tail calls are tail calls, ten million deep. */
#include <stdint.h>
#include <stdio.h>

#define KEEP __attribute__((noinline))
enum { DEEP = 10000000 };

static volatile unsigned sink;

KEEP static uint64_t sum(unsigned n, uint64_t so_far)
{
    if (n == 0)
        return so_far;
    sink = n;
    return sum(n - 1, so_far + n % 3);
}

/* The multiplication comes behind the call: LLVM turns it around. */
KEEP static unsigned product(unsigned n)
{
    if (n < 2)
        return 1;
    sink = n;
    return n * product(n - 1);
}

/* One is inlined into the other, which then calls itself. */
static int odd(unsigned n);
KEEP static int even(unsigned n)
{
    sink = n;
    if (n == 0)
        return 1;
    return odd(n - 1);
}
static int odd(unsigned n)
{
    if (n == 0)
        return 0;
    return even(n - 1);
}

/* Jumps from one to the other. */
KEEP static void pong(unsigned n);
KEEP static void ping(unsigned n)
{
    sink = n;
    if (n)
        pong(n - 1);
}
KEEP static void pong(unsigned n)
{
    if (n % 2)
        sink++;
    if (n)
        ping(n - 1);
}

/* The result is cut to size on the way. */
KEEP static long wide(long n);
KEEP static int narrow(long n)
{
    return (int)wide(n);
}
KEEP static long wide(long n)
{
    static int (*volatile down)(long) = narrow;
    if (n == 0)
        return 5;
    return ((long (*)(long))down)(n - 1);
}

int main(void)
{
    printf("%lu %u %d\n", (unsigned long)sum(DEEP, 0), product(DEEP), even(DEEP));
    ping(DEEP);
    printf("%d\n", (int)wide(DEEP / 2));
    return 0;
}
