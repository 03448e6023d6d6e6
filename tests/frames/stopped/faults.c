/* Ends in the middle of a block, before code of other functions that were inlined: what comes next has not begun. */
#include "truth.h"
static int *volatile nowhere;
static volatile int out, zero;
static int sink;
static int factorial(int n, int r)
{
    T;
    return n < 2 ? r : factorial(n - 1, r * n);
}
static int rounds(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        T;
        if (i & 1)
            T;
        s += i;
    }
    T;
    return s;
}
__attribute__((noinline)) static void other(int n)
{
    volatile int z = n;
    rounds(z);
    rounds(z + 1);
}
int main(int argc, char **argv)
{
    char how = argc > 1 ? argv[1][0] : 0;
    T;
    if (how == 'l')
        out = *nowhere;
    if (how == 'd')
        sink = 5 / zero;
    if (how == 's')
        *nowhere = 3;
    if (how == 'b')
        __builtin_debugtrap();
    if (how == '3')
        __asm__ volatile("int3");
    if (how == 'u')
        __asm__ volatile("ud2");
    if (how == 'h')
        __asm__ volatile("hlt" ::: "memory");
    out = factorial(3, 1);
    switch (how) {
    case 'L':
        sink = *nowhere;
        break;
    case 'U':
        __asm__ volatile("ud2");
        break;
    case 'B':
        __builtin_debugtrap();
        break;
    case 'o':
        other(3);
    }
    rounds(7);
    T;
    return 3;
}
