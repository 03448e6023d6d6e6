/* Rounds of loops and recursion that the optimiser unrolls, inlines and merges, and variables that it keeps in registers meanwhile:
 * one position stands for several moments. */
#include "truth.h"
static volatile int out;
static int table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3}, budget = 40;
static int factorial(int n, int r)
{
    T;
    return n < 2 ? r : factorial(n - 1, r * n);
}
static int gcd(int a, int b)
{
    T;
    if (!b)
        return a;
    T;
    return gcd(b, a % b);
}
static int limited(int x)
{
    T;
    if (--budget < 0) {
        T;
        return x;
    }
    x ^= table[x & 15];
    T;
    if (x > 0 && budget > 0)
        return limited(x >> 1);
    T;
    return x;
}
__attribute__((noinline)) static int behind(int x)
{
    T;
    return x * 3;
}
__attribute__((noinline)) static int jumps(int x)
{
    T;
    if (x & 1) {
        T;
        return behind(x + 1);
    }
    T;
    return behind(x);
}
static int pick(int i)
{
    switch (i) {
    case 0:
        T;
        break;
    case 1:
        T;
        return out;
    default:
        T;
    }
    T;
    return 0;
}
void work(void)
{
    int s = factorial(3, 1);
    T;
    for (int i = 1; i < 4; i++) {
        s += gcd(30, i * 4);
        T;
    }
    for (int i = 0; i < 4; i++) {
        if (i == 2) {
            T;
            continue;
        }
        s += out;
        if (s > 3000) {
            T;
            break;
        }
        T;
    }
    for (int i = 0; i < 3; i++)
        s += pick(i);
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 3; k++) {
            T;
            table[k] = i;
        }
        s += limited(i + 9);
    }
    s += jumps(s);
    T;
    out = s;
}
void warm(void) {}
