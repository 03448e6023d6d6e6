#include "named.h"
int leaf(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += i % 3 ? i : plain(i);
    return s;
}
int recursive(int n)
{
    return n > 1 ? recursive(n - 1) + leaf(n % 4) : plain_calls(n, leaf);
}
struct large make_large(int a, double b, long double c, int d, int e, int f, int g, long h)
{
    struct large l = {{a > 2 ? a : -a, (long)b, (long)c, d + e, f + g + h}};
    return l;
}
__attribute__((weak)) int replaced_by_plain(int n)
{
    return n > 2 ? leaf(n) : 1;
}
int silent(int n)
{
    return n + 1;
}
int jumps_on(int n, int (*f)(int))
{
    return f(n);
}
int old_style(a, b)
int a;
long b;
{
    return a > b ? a : (int)b;
}
