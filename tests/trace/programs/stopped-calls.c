#include "truth.h"
static volatile unsigned sink;
__attribute__((noinline)) static int silent(int x)
{
    T;
    sink += x;
    T;
    return x + 1;
}
__attribute__((noinline)) static int picks(int x)
{
    T;
    if (x & 1) {
        T;
        return 3;
    }
    T;
    return 2;
}
static int (*volatile call)(int) = silent;
static int (*volatile call2)(int) = picks;
static inline int nested(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        T;
        s += call(i);
        T;
        s += call2(i);
        if (s & 4) {
            T;
            s += picks(s);
        }
    }
    return s;
}
__attribute__((noinline)) static int recursive(int n)
{
    T;
    if (n == 0)
        return 0;
    T;
    return recursive(n - 1) + n;
}
void work(void)
{
    T;
    sink = nested(3);
    T;
    sink = recursive(3);
    T;
}
void warm(void)
{
    call(1);
}
