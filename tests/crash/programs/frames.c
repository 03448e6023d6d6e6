#include <stdio.h>
#include <string.h>
#include <alloca.h>
#include <setjmp.h>
#include <unistd.h>
#include <sys/wait.h>
#include <stdlib.h>
#include "../point.h"
volatile int k;
__attribute__((noinline)) int use(int x)
{
    point();
    k += x;
    return k;
}
__attribute__((noinline)) int usep(void *p)
{
    point();
    k += *(char *)p;
    return k;
}
__attribute__((noinline)) int vla(int n, int a)
{
    int r = 0;
    if (a & 1)
        r = 1;
    char b[n + 1];
    memset(b, a, n + 1);
    if (a & 2)
        r += usep(b);
    for (int i = 0; i < n; i++) {
        if (i & a)
            r++;
        char *q = alloca(i * 8 + 1);
        q[0] = i;
        r += usep(q);
        if (r & 1)
            use(r);
    }
    if (a & 4)
        r += 2;
    usep(b);
    return r;
}
__attribute__((noinline)) int al(int n, int a)
{
    _Alignas(64) char b[100];
    int r = 0;
    if (a & 1)
        r = 1;
    memset(b, a, 100);
    if (a & 2)
        r += usep(b);
    for (int i = 0; i < n; i++) {
        if (i & a)
            r++;
        r += usep(b + i);
    }
    if (a & 4)
        r += 2;
    usep(b);
    return r;
}
__attribute__((noinline)) int alv(int n, int a)
{
    _Alignas(64) char b[100];
    char c[n + 1];
    int r = 0;
    c[0] = a;
    if (a & 1)
        r = 1;
    memset(b, a, 100);
    if (a & 2)
        r += usep(b);
    for (int i = 0; i < n; i++) {
        if (i & a)
            r++;
        r += usep(b + i) + usep(c);
    }
    if (a & 4)
        r += 2;
    usep(b);
    return r;
}
__attribute__((noinline)) int nine(int a, int b, int c, int d, int e, int f, int g, int h, int i)
{
    point();
    k += a + b + c + d + e + f + g + h + i;
    return k;
}
__attribute__((noinline)) int push(int n, int a)
{
    int r = 0;
    if (a & 1)
        r = 1;
    if (a & 2)
        r += use(a);
    r += nine(a, n, r, a, n, r, a, n, r);
    if (r & 1)
        r += 2;
    r += nine(r, nine(1, 2, 3, 4, 5, 6, 7, 8, r), 3, 4, 5, 6, 7, 8, 9);
    use(r);
    return r;
}
__attribute__((noinline)) int shrink(int *p, int a)
{
    if (!p)
        return 0;
    if (*p < 3)
        return a;
    int r = 0;
    if (a & 1)
        r = 1;
    if (a & 2)
        r += 2;
    use(r);
    if (a & 4)
        r += use(a);
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
    use(r);
    return rec(n - 2, a >> 2);
}
__attribute__((noinline)) int rec2(int n, int a)
{
    int r = 0;
    if (n <= 0) {
        use(n);
        return 1;
    }
    if (a & 1)
        r = use(1);
    if (a & 2)
        use(2);
    return r + rec2(n - 1, a >> 1);
}
jmp_buf jb;
__attribute__((noinline)) void thrower(int q)
{
    if (q)
        longjmp(jb, q);
}
static int deep(int a)
{
    int r = 0;
    if (a & 1)
        r = 1;
    if (a & 2)
        r += 2;
    use(r);
    if (a & 4)
        thrower(a & 3);
    use(r + 1);
    return r;
}
__attribute__((noinline)) int sj(int a)
{
    volatile int n = 0;
    volatile int r = 0;
    if (a & 1)
        use(1);
    int q = setjmp(jb);
    if (q)
        n++;
    if (a & 2)
        use(2);
    if (n < 3) {
        if (a & 4)
            use(3);
        r += deep(a);
        thrower(n + 1);
    }
    if (n < 5)
        r += deep(a & 3);
    use(r);
    return n;
}
__attribute__((noinline)) int outer(int a)
{
    int r = 0;
    if (a & 1)
        r = 1;
    if (a & 2)
        r += use(1);
    r += sj(a);
    if (a & 4)
        r++;
    use(r);
    return r;
}
__attribute__((noinline)) int vf(int a)
{
    int r = 0;
    if (a & 1)
        r = 1;
    if (a & 2)
        use(1);
    fflush(stdout);
    pid_t p = vfork();
    if (!p) {
        _exit(a);
    }
    int s;
    waitpid(p, &s, 0);
    if (a & 4)
        r++;
    use(r);
    return r;
}
__attribute__((noinline)) int prot(const char *s, int a)
{
    char b[32];
    int r = 0;
    if (a & 1)
        r = 1;
    strcpy(b, s);
    if (a & 2)
        r += usep(b);
    if (a & 4)
        b[0] = 'q';
    r += usep(b);
    return r;
}
int cmp(const void *x, const void *y)
{
    int a = *(int *)x, b = *(int *)y;
    int r = 0;
    if (a & 1)
        r = 1;
    if (b & 1)
        r += 2;
    use(r);
    return a - b;
}
__attribute__((noinline)) int qs(int a)
{
    int v[9];
    for (int i = 0; i < 9; i++)
        v[i] = (i * 7 + a) % 11;
    if (a & 1)
        v[0] = 3;
    qsort(v, 9, 4, cmp);
    if (a & 2)
        v[1] = 2;
    use(v[1]);
    return v[0];
}
int main()
{
    int t = 0;
    for (int a = 0; a < 16; a++)
        for (int n = 0; n < 5; n++) {
            int q = n;
            t += vla(n, a) + al(n, a) + alv(n, a) + push(n, a) + shrink(n ? &q : 0, a) + rec(n + 2, a * 3) +
                 rec2(n, a) + outer(a) + prot("hello", a) + qs(a);
        }
    t += vf(1) + vf(7);
    printf("%d\n", t);
}
