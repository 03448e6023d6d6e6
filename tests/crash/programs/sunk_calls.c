#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include "../point.h"
volatile int k;
__attribute__((noinline)) int use(int x)
{
    point();
    k += x;
    return k;
}
extern int ext(int) __attribute__((const));
extern int extp(const char *) __attribute__((pure));
__attribute__((noinline)) int l1(int a, int n)
{
    int x = 0, i = 0;
    do {
        if (i & a)
            use(1);
        x = ext(i);
        if (i & 2)
            use(2);
        if (i & 4)
            use(4);
    } while (++i < n);
    return x + use(3);
}
__attribute__((noinline)) int l2(int a, int n)
{
    int x = 0, i = 0;
    do {
        if (i & a)
            k++;
        x = ext(i);
        if (i & 2)
            k--;
        if (k & 8)
            break;
        use(i);
    } while (++i < n);
    use(3);
    return x;
}
__attribute__((noinline)) int l3(int a, int n)
{
    int r = 0;
    if (a & 1)
        r = 1;
    int x = ext(a);
    if (n > 2) {
        int i = 0;
        do {
            if (i & a)
                r += 2;
            use(i);
        } while (++i < n);
    }
    if (a & 2)
        r += x;
    use(r);
    return r;
}
__attribute__((noinline)) int l4(int a, int b)
{
    int r = 0;
    if (a & 1)
        r = 1;
    int x = ext(b);
    if (a & 2)
        r += 5;
    if (b & 1) {
        use(r);
        return x;
    }
    if (b & 2)
        r += 1;
    use(r);
    return b & 4 ? x : r;
}
__attribute__((noinline)) int l5(const char *s, int a, int b)
{
    int r = 0;
    if (a & 1)
        r = 1;
    size_t x = strlen(s);
    if (a & 2)
        r += 5;
    if (b & 1) {
        if (a & 4)
            r += 3;
        use(x);
        return r;
    }
    if (b & 2)
        r += 1;
    use(r);
    return b & 4 ? x : r;
}
__attribute__((noinline)) int l6(const char *s, int a, int n)
{
    int r = 0;
    for (int i = 0; i < n; i++) {
        if (i & a)
            r += 2;
        size_t x = strlen(s);
        if (i & 2)
            r += 3;
        if (r & 4)
            r += x;
        if (i == a)
            return x;
    }
    return r;
}
__attribute__((noinline)) int l7(const char *s, int a)
{
    char *p = malloc(16);
    int r = 0;
    if (a & 1)
        r = 1;
    if (a & 2)
        r += 2;
    strcpy(p, s);
    if (a & 4)
        r += strlen(p);
    if (a & 8)
        r += p[0];
    free(p);
    use(r);
    return r;
}
__attribute__((noinline)) int l8(int a, int n)
{
    int x = 0;
    for (int i = 0; i < n; i++) {
        if (i & a)
            use(1);
        x = ext(a);
        if (i & 2)
            use(2);
        x += ext(i);
        if (i & 4)
            use(3);
    }
    return x;
}
int main()
{
    int t = 0;
    for (int a = 0; a < 16; a++)
        for (int i = 0; i < 9; i++) {
            t += l1(a, i) + l2(a, i) + l3(a, i) + l4(a, i) + l5("abc", a, i) + l6("xx", a, i) + l7("ab", a) +
                 l8(a, i);
        }
    printf("%d\n", t);
}
