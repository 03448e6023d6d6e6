#include <stdio.h>
#include "../point.h"
volatile int k;
__attribute__((noinline)) int use(int x)
{
    point();
    k += x;
    return k;
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
__attribute__((noinline)) int irr2(int a, int n)
{
    int i = 0, r = 0;
    if (a & 1)
        goto A;
    if (a & 2)
        goto B;
    goto C;
A:
    r += use(1);
    if (r & 4)
        goto C;
B:
    if (a & 4)
        use(2);
    if (i++ > n)
        return r;
    if ((r + i) & 1)
        goto A;
C:
    use(3);
    if (i++ > n)
        return r;
    if (a & 8) {
        use(i);
        goto B;
    }
    r++;
    goto A;
}
// computed goto: labels reached by indirect jumps and by falling through
__attribute__((noinline)) int cg(const unsigned char *p, int a)
{
    static void *t[] = {&&l0, &&l1, &&l2, &&l3, &&end};
    int r = a;
    if (a & 1)
        r++;
    goto *t[*p++];
l0:
    r += 1;
    if (r & 1)
        use(r);
l1:
    use(r);
    if (r & 2)
        r += 3;
    goto *t[*p++];
l2:
    if (a & 2)
        r ^= 1;
l3:
    use(r + 1);
    if (r & 4)
        r--;
    if (r & 8)
        goto l1;
    goto *t[*p++];
end:
    use(r);
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
__attribute__((noinline)) int duff(int n, int a)
{
    int r = 0;
    int c = (n + 3) / 4;
    if (a & 1)
        r = 1;
    if (n <= 0)
        return 0;
    switch (n % 4) {
    case 0:
        do {
            r += use(1);
        case 3:
            if (a & 2)
                use(r);
        case 2:
            r++;
            use(2);
        case 1:
            if (r & 1)
                use(3);
        } while (--c > 0);
    }
    use(r);
    return r;
}
int main()
{
    int t = 0;
    unsigned char pr[][8] = {{0, 2, 3, 1, 4}, {1, 2, 0, 3, 4}, {2, 2, 1, 0, 4}, {3, 0, 1, 4}};
    for (int a = 0; a < 32; a++)
        for (int b = 0; b < 4; b++)
            t += irr(a, b + 3) + irr2(a, b + 5) + cg(pr[b], a) + sw(a, b) + duff(a % 9, b);
    printf("%d\n", t);
}
