#include <stdlib.h>
volatile int n;
static int f(int x)
{
    if (x & 1)
        n++;
    else
        n--;
    return abs(x) + n;
}
int g(int *p, int k)
{
    int s = 0;
    for (int i = 0; i < 12; i++)
        if (p[i] & 1)
            s += n;
    for (int i = 0; i < k; i++)
        p[i] += s;
    return f(k) + f(s);
}
int main(int argc, char **argv)
{
    int a[64] = {argc};
    return g(a, 20) == argc;
}
