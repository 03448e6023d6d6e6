#include <stdio.h>
#include <string.h>
#include "../point.h"
volatile int k;
__attribute__((noinline)) int use(int x)
{
    point();
    k += x;
    return k;
}
__attribute__((noinline)) int mc(char *d, int n, int a)
{
    int r = 0;
    if (a & 1)
        r = 1;
    use(r);
    if (a & 2)
        r += 2;
    memset(d, r, n);
    return use(r);
}
__attribute__((noinline)) __int128 dv(__int128 x, __int128 y, int a)
{
    if (a & 1)
        x += 2;
    use(1);
    if (a & 2)
        x *= 3;
    return x / y;
}
__attribute__((noinline)) double fm(double x, int a)
{
    if (a & 1)
        x += 2;
    use(1);
    if (a & 2)
        x *= 3;
    return __builtin_fmod(x, 2.5) + 1;
}
int main()
{
    int t = 0;
    char b[200];
    for (int a = 0; a < 8; a++)
        for (int n = 100; n < 104; n++)
            t += mc(b, n, a) + b[3] + (int)dv(a * 7, 3, a) + (int)fm(a, a);
    printf("%d\n", t);
}
