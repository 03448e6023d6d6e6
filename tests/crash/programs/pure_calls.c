#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include "../point.h"
__attribute__((noinline, pure)) int pure1(const char *s)
{
    int n = 0;
    while (*s++)
        n++;
    return n;
}
__attribute__((noinline, const)) int const1(int a)
{
    return a * 7 + 1;
}
__attribute__((noinline)) void use(int x)
{
    point();
    static volatile int k;
    k += x;
}
volatile int sink;
__attribute__((noinline)) int hoist(const char *s, int a, int n)
{
    int r = 0;
    if (a & 1)
        r = 1;
    if (a & 2)
        r += 2;
    for (int i = 0; i < n; i++) {
        if (i & a)
            r += 3;
        r += pure1(s);
        if (i & 4)
            r ^= 1;
    }
    return r;
}
__attribute__((noinline)) int sinks(const char *s, int a, int b)
{
    int x = pure1(s);
    int y = const1(a);
    int r = 0;
    if (a & 1)
        r = 1;
    if (b & 1)
        r += 2;
    if (b & 4)
        r += x;
    else
        r += y;
    use(r);
    if (b & 8)
        r += x;
    return r;
}
__attribute__((noinline)) int cse(const char *s, int a)
{
    int r;
    if (a & 1)
        r = pure1(s) + 1;
    else
        r = pure1(s) + 2;
    if (a & 2)
        r += pure1(s);
    use(r);
    return r;
}
__attribute__((noinline)) int sl(const char *s, int a)
{
    int r = 0;
    if (a & 1)
        r = 1;
    size_t k = strlen(s);
    if (a & 2)
        r += k;
    if (a & 4) {
        r += strlen(s) * 2;
        use(r);
    }
    return r;
}
jmp_buf jb;
__attribute__((noinline)) void thrower(int k)
{
    if (k)
        longjmp(jb, k);
}
__attribute__((noinline)) int sj(int a)
{
    volatile int n = 0;
    int r = 0;
    if (a & 1)
        use(1);
    int k = setjmp(jb);
    if (k)
        n++;
    if (a & 2)
        use(2);
    if (n < 3) {
        if (a & 4)
            use(3);
        thrower(n + 1);
    }
    use(r);
    return n;
}
static inline int inl(int a)
{
    int r = 0;
    if (a & 1)
        r += 2;
    if (a & 2)
        use(r);
    if (a & 4)
        r += 3;
    use(r + a);
    return r;
}
__attribute__((noinline)) int twice(int a)
{
    int r = 0;
    if (a & 8)
        r = 1;
    r += inl(a);
    if (a & 16)
        r += inl(a >> 1);
    for (int i = 0; i < 4; i++)
        r += inl(a + i);
    return r;
}
__attribute__((noinline)) int rec(int n, int a)
{
    if (n <= 0)
        return 0;
    int r = 0;
    if (a & 1)
        r = 1;
    if (a & 2)
        r += rec(n - 1, a >> 1);
    if (a & 4)
        r += 2;
    r += rec(n - 2, a >> 2);
    use(r);
    return r;
}
__attribute__((noinline)) int irr(int a, int n)
{
    int i = 0, r = 0;
    if (a & 1)
        goto mid;
top:
    r += i;
    if (r & 2)
        use(r);
mid:
    if (r & 1)
        r++;
    use(i);
    if (++i < n) {
        if (a & i)
            goto mid;
        goto top;
    }
    return r;
}
__attribute__((noinline)) int sw(int a, int b)
{
    int r = 0;
    for (int i = 0; i < 8; i++) {
        switch ((a + i * b) & 7) {
        case 0:
        case 3:
            r++;
            break;
        case 1:
            r += 2;
        case 2:
            use(r);
            break;
        case 4:
            continue;
        case 5:
            if (r & 1)
                goto out;
            break;
        default:
            r ^= b;
        }
        if (r & 2)
            r += 3;
        use(r);
    }
out:
    use(r);
    return r;
}
int main()
{
    int t = 0;
    for (int a = 0; a < 32; a++)
        for (int b = 0; b < 8; b++) {
            t += hoist("abc", a, b) + sinks("ab", a, b) + cse("x", a) + sl("xyz", a) + sj(a) + twice(a) +
                 rec(5, a ^ b) + irr(a, b) + sw(a, b);
        }
    printf("%d\n", t);
}
