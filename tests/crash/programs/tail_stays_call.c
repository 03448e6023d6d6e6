#include <stdio.h>
#include "../point.h"
volatile int k;
__attribute__((noinline)) int use(int x)
{
    point();
    k += x;
    return k;
}
__attribute__((noinline)) int g9(int a, int b, int c, int d, int e, int f, int g, int h, int i)
{
    point();
    k += a + b + c + d + e + f + g + h + i;
    return k;
}
__attribute__((noinline)) int f9(int a, int b)
{
    int r = 1;
    if (a & 1)
        r = b;
    use(r);
    if (b & 2)
        r += a;
    return g9(a, b, r, a, b, r, a, b, r);
}
__attribute__((noinline)) int f9b(int a, int b)
{
    int r = 1;
    if (a & 1)
        r = b;
    if (a & 2)
        use(r);
    if (b & 2)
        r += a;
    return g9(a, b, r, a, b, r, a, b, r);
}
__attribute__((noinline)) void v(int a, int b)
{
    int r = 1;
    if (a & 1)
        r = b;
    if (a & 2)
        use(r);
    if (b & 2)
        r += a;
    if (b & 1)
        g9(a, b, r, a, b, r, a, b, r);
    else
        use(b);
}
int main()
{
    int t = 0;
    for (int a = 0; a < 16; a++)
        for (int b = 0; b < 4; b++) {
            t += f9(a, b) + f9b(a, b);
            v(a, b);
        }
    printf("%d\n", t);
}
