#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <ctype.h>
#include <math.h>
#include "../point.h"
volatile int k;
__attribute__((noinline)) int use(int x)
{
    point();
    k += x;
    return k;
}
__attribute__((noinline, const)) int cst(int a)
{
    int r = a;
    for (int i = 0; i < 3; i++)
        r = r * 7 + 1;
    k;
    return r;
}
extern int ext(int) __attribute__((const));
extern int extp(const char *) __attribute__((pure));
__attribute__((noinline)) int h1(const char *s, int a, int n)
{
    int r = 0;
    if (a & 1)
        r = 1;
    if (a & 2)
        r += 2;
    for (int i = 0; i < n; i++) {
        if (i & a)
            r += 3;
        r += strlen(s);
        if (i & 4)
            r ^= 1;
        r += use(i);
    }
    return r;
}
__attribute__((noinline)) int h2(int a, int n)
{
    int r = 0;
    if (a & 1)
        r = 1;
    if (a & 2)
        r += 2;
    for (int i = 0; i < n; i++) {
        if (i & a)
            r += 3;
        r += ext(a);
        if (i & 4)
            r ^= use(i);
    }
    use(r);
    return r;
}
__attribute__((noinline)) int s1(int a, int b)
{
    int x = ext(a);
    int r = 0;
    if (a & 1)
        r = 1;
    if (b & 1)
        r += use(2);
    if (b & 4) {
        if (a & 4)
            r += 3;
        use(r);
        r += x;
        use(r + 1);
    }
    return r;
}
__attribute__((noinline)) int s2(const char *s, int a, int b)
{
    int x = extp(s);
    int r = 0;
    if (a & 1)
        r = 1;
    if (b & 1)
        r += 2;
    if (b & 4)
        r += x;
    use(r);
    return r;
}
__attribute__((noinline)) int s3(const char *s, int a, int b)
{
    size_t x = strlen(s);
    int r = 0;
    if (a & 1)
        r = 1;
    else
        r = 2;
    if (b & 4)
        r += x;
    return r;
}
__attribute__((noinline)) int c1(int a)
{
    int r;
    if (a & 1)
        r = ext(a) + 1;
    else
        r = ext(a) + 2;
    if (a & 2)
        r += ext(a);
    use(r);
    if (a & 4)
        r += ext(a + 1);
    if (a & 8)
        r += ext(a + 1);
    return r;
}
__attribute__((noinline)) int c2(const char *s, int a)
{
    int r = 0;
    if (a & 1)
        r += strlen(s);
    if (a & 2)
        r += strlen(s);
    if (a & 4)
        r += strchr(s, 'b') - s;
    r += strlen(s);
    use(r);
    return r;
}
__attribute__((noinline)) double m1(double x, int a)
{
    double r = 0;
    if (a & 1)
        r = 1;
    if (a & 2)
        r += sqrt(x);
    if (a & 4)
        r += pow(x, 1.7);
    r += fmod(x, 3.1);
    if (a & 8)
        r += sin(x);
    use(r);
    return r;
}
__attribute__((noinline)) void *ma(int a)
{
    char *p = 0;
    if (a & 1)
        p = malloc(10);
    else
        p = malloc(20);
    if (a & 2)
        p[1] = 2;
    else
        p[1] = 3;
    if (a & 4)
        free(p), p = calloc(1, 8);
    use(p[1]);
    return p;
}
__attribute__((noinline)) __int128 dv(__int128 x, __int128 y, int a)
{
    __int128 r = x;
    if (a & 1)
        r += 2;
    if (a & 2)
        r *= 3;
    r /= y;
    if (a & 4)
        r = r % 7;
    use(r);
    return r;
}
__attribute__((noinline)) int mc(char *d, const char *s, int n, int a)
{
    int r = 0;
    if (a & 1)
        r = 1;
    if (a & 2)
        r += 2;
    memcpy(d, s, n);
    if (a & 4)
        memset(d, r, n);
    if (a & 8)
        memmove(d + 1, d, n - 1);
    return r;
}
int main()
{
    int t = 0;
    char b[64], c[64] = "abcdefghijklmnopqrstuvw";
    for (int a = 0; a < 16; a++)
        for (int i = 0; i < 8; i++) {
            t += h1("abc", a, i) + h2(a, i) + s1(a, i) + s2("xy", a, i) + s3("zz", a, i) + c1(a) +
                 c2("abc", a) + (int)m1(a + .5, i) + (int)dv(a * 1000, i + 1, a) + mc(b, c, a + 20, a);
            free(ma(a));
        }
    printf("%d\n", t);
}
