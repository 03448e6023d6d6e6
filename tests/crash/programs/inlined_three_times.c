#include <stdio.h>
#include "../point.h"
volatile int k;
__attribute__((noinline)) void use(int x)
{
    point();
    k += x;
}
static __attribute__((always_inline)) inline int inl(int a)
{
    int r = 0;
    if (a & 1)
        r += 2;
    if (a & 2)
        r += 5;
    use(r);
    for (int i = 0; i < (a & 3); i++) {
        if (i & a)
            r++;
        use(i);
        if (r & 1)
            use(r);
    }
    if (a & 4)
        r += 3;
    use(r + a);
    return r;
}
static __attribute__((always_inline)) inline int mid(int a)
{
    int r = inl(a);
    if (a & 8)
        r += inl(a >> 1);
    return r + inl(a >> 2);
}
__attribute__((noinline)) int three(int a)
{
    int r = inl(a) + inl(a + 1) + inl(a ^ 5);
    return r;
}
__attribute__((noinline)) int nest(int a)
{
    int r = 0;
    if (a & 1)
        r = mid(a);
    else
        r = mid(a + 3);
    if (a & 16)
        r += mid(a >> 3) + inl(r);
    use(r);
    return r;
}
__attribute__((noinline)) int loop(int a)
{
    int r = 0;
    for (int i = 0; i < 4; i++) {
        if (a & i)
            r += inl(a + i);
        r += inl(i);
        if (r & 1)
            r += mid(r & 15);
    }
    return r;
}
int main()
{
    int t = 0;
    for (int a = 0; a < 64; a++)
        t += three(a) + nest(a) + loop(a);
    printf("%d\n", t);
}
