/* What tells the optimiser that code does not matter: expect, unreachable, assume, cold, pure and const functions, assertions that hold. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

__attribute__((cold, noinline)) static int rare(int n) { return n % 3 ? n : -n; }
__attribute__((pure)) static int pure(const int *p, int n)
{
    int r = 0;
    for (int i = 0; i < n; i++)
        r += p[i];
    return r;
}
__attribute__((const)) static int constant(int n) { return n > 2 ? n * n : 1; }
__attribute__((always_inline)) static inline int always(int n) { return n & 1 ? n + 1 : n; }
__attribute__((noinline, optnone)) static int slow(int n) { int r = 0; while (n--) r += 2; return r; }
__attribute__((flatten)) static int flat(int n) { return always(n) + constant(n) + slow(n & 3); }
static void fatal(const char *why) { fputs(why, stderr); abort(); }

static int divide(int a, int b)
{
    if (unlikely(b == 0))
        return 0;
    if (likely(a >= 0))
        return a / b;
    __builtin_assume(b < 1000);
    return -(-a / b);
}
static int checked(int n)
{
    assert(n >= 0);
    if (n < 0)
        fatal("negative");
    if (n > 1000)
        __builtin_unreachable();
    if (n > 999)
        __builtin_trap();
    switch (n % 4) {
    case 0: return 1;
    case 1: case 2: return 2;
    case 3: return 3;
    default: __builtin_unreachable();
    }
}
static int unused_results(int n)
{
    int numbers[4] = {n, 2, 3, 4};
    pure(numbers, 4);
    constant(n);
    int a = pure(numbers, 4), b = pure(numbers, 4), c = constant(n), d = constant(n);
    return a + b + c + d;
}

int main(void)
{
    int sum = 0;
    for (int i = -20; i < 20; i++)
        sum += divide(i * 10, i % 6) + checked(i + 20) + rare(i) + flat(i) + unused_results(i);
    printf("%d\n", sum);
    return 0;
}
