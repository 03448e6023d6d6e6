/* Divides by zero: sunk WHICH. The optimiser moves the division down, over lines that come after it. */
#include "truth.h"
#include <stdlib.h>
static volatile int zero, rounds = 5, out;
static inline int callee(int n, int k)
{
    T;
    int s = k;
    for (int i = 0; i < n; i++) {
        if ((i + s) % 2 == 0) {
            T;
        } else {
            T;
        }
        T;
    }
    T;
    return s;
}
/* into a branch */
__attribute__((noinline)) static int branch(int n, int d)
{
    int s = n;
    T;
    int q = 1000 / d;
    T;
    if (n & 1) {
        T;
        s += q;
    }
    T;
    return s;
}
/* behind a call that is inlined */
__attribute__((noinline)) static int inlined(int n, int d)
{
    int s = n;
    T;
    for (int i = 0; i < n; i++) {
        s ^= 1000 % d;
        T;
        T;
        s += callee(n / 2, i);
    }
    return s;
}
/* behind a call */
__attribute__((noinline)) static int other(int n)
{
    T;
    return n;
}
__attribute__((noinline)) static int called(int n, int d)
{
    T;
    int q = 1000 / d;
    T;
    int s = other(n);
    T;
    if (s & 1)
        s += q;
    T;
    return s;
}
/* at the end of the block */
__attribute__((noinline)) static int block(int n, int d)
{
    T;
    int q = 1000 / d;
    T;
    T;
    return n + q;
}
int main(int argc, char **argv)
{
    T;
    switch (argv[1][0]) {
    case 'b':
        out = branch(rounds, zero);
        break;
    case 'i':
        out = inlined(rounds, zero);
        break;
    case 'c':
        out = called(rounds, zero);
        break;
    case 'e':
        out = block(rounds, zero);
        break;
    }
    T;
    return 3;
}
