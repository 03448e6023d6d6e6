#include <cstdio>
#include "../point.h"
volatile int k;
__attribute__((noinline)) int use(int x)
{
    point();
    k += x;
    return k;
}
__attribute__((noinline)) int mt(int a)
{
    k += a;
    if (a % 3 == 2)
        throw a;
    return a;
}
__attribute__((noinline)) int f(int a, int b)
{
    int r = 0;
    try {
        r += mt(a);
        r += mt(b);
    } catch (int) {
        use(r);
    }
    use(r + 1);
    return r;
}
int main()
{
    int t = 0;
    for (int a = 0; a < 8; a++)
        for (int b = 0; b < 8; b++)
            t += f(a, b);
    printf("%d\n", t);
}
