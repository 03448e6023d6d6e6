#include <stdio.h>
#include <stdarg.h>
#include "../point.h"
struct S {
    long a[6];
};
volatile int k;
__attribute__((noinline)) int g9(int a, int b, int c, int d, int e, int f, int g, int h, int i)
{
    point();
    k += a + b + c + d + e + f + g + h + i;
    return k;
}
__attribute__((noinline)) int gs(struct S s)
{
    point();
    k += s.a[0] + s.a[5];
    return k;
}
__attribute__((noinline)) struct S rs(int a)
{
    struct S s = {{a, k, 3, 4, 5, 6}};
    k++;
    return s;
}
__attribute__((noinline)) int va(int n, ...)
{
    point();
    va_list l;
    va_start(l, n);
    int r = 0;
    while (n--)
        r += va_arg(l, int);
    va_end(l);
    k += r;
    return r;
}
__attribute__((noinline)) int g2(int a, int b)
{
    point();
    k += a - b;
    return k;
}
// 1. tail position, stack arguments: no sibling call
__attribute__((noinline)) int f9(int a, int b)
{
    int r = 1;
    if (a & 1)
        r = b;
    if (b & 2)
        r += a;
    return g9(a, b, r, a, b, r, a, b, r);
}
__attribute__((noinline)) int fs(int a, struct S *p)
{
    int r = 1;
    if (a & 1)
        r = 2;
    struct S q = *p;
    q.a[0] = r;
    return gs(q);
}
__attribute__((noinline)) int fv(int a, int b)
{
    int r = 1;
    if (a & 1)
        r = b;
    if (a & 2)
        r += b;
    return va(9, r, a, b, r, a, b, r, a, b);
}
// 2. attribute / flag: no sibling calls
__attribute__((noinline, disable_tail_calls)) int fd(int a, int b)
{
    int r = 1;
    if (a & 1)
        r = b;
    if (a & 2)
        r += b;
    return g2(r, a);
}
__attribute__((noinline)) int fp(int a, int b)
{
    int r = 1;
    if (a & 1)
        r = b;
    if (a & 2)
        r += b;
    return g2(r, a);
}
__attribute__((noinline)) void fvo(int a, int b)
{
    int r = 1;
    if (a & 1)
        r = b;
    if (a & 2)
        r += b;
    g9(r, a, b, r, a, b, r, a, b);
}
int main()
{
    int t = 0;
    struct S s = {{1, 2, 3, 4, 5, 6}};
    for (int a = 0; a < 16; a++)
        for (int b = 0; b < 4; b++) {
            t += f9(a, b) + fs(a, &s) + fv(a, b) + fd(a, b) + fp(a, b);
            fvo(a, b);
            t += rs(a).a[0];
        }
    printf("%d\n", t);
}
