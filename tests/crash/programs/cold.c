#include <stdio.h>
#include <stdlib.h>
#include "../point.h"
volatile int k;
__attribute__((noinline)) int use(int x)
{
    point();
    k += x;
    return k;
}
__attribute__((noinline, cold)) int coldf(int x)
{
    point();
    k -= x;
    return k;
}
int f(int a, int b)
{
    int r = 0;
    if (a & 1)
        r = 1;
    if (__builtin_expect(b == 3, 0)) {
        r += coldf(1);
        if (a & 2)
            r += coldf(2);
        else
            r -= coldf(3);
        if (a & 4)
            coldf(r);
        r += coldf(5) + coldf(6);
    }
    if (a & 8)
        r += 2;
    use(r);
    if (__builtin_expect(b == 5, 0)) {
        coldf(r);
        for (int i = 0; i < a; i++) {
            if (i & 1)
                r += coldf(i);
            coldf(7);
        }
        if (a & 2)
            coldf(8);
    }
    use(r + 1);
    return r;
}
int g(int a, int b)
{
    int r = 0;
    if (a & 1)
        r = 1;
    if (a & 2)
        r += use(r);
    if (b == 6) {
        coldf(r);
        if (a & 4) {
            coldf(1);
            r++;
        }
        coldf(2);
        coldf(r);
        if (r == 1000) {
            coldf(9);
            abort();
        }
    }
    if (a & 8)
        r++;
    use(r);
    return r;
}
int (*volatile pf)(int, int) = f;
int (*volatile pg)(int, int) = g;
int main()
{
    int t = 0;
    for (int a = 0; a < 16; a++)
        for (int b = 0; b < 8; b++)
            t += pf(a, b) + pg(a, b);
    printf("%d\n", t);
}
