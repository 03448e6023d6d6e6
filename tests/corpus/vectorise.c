/* Loops an optimiser wants to vectorise, unroll, interchange, fuse, delete or turn into a library call. */
#include <stdio.h>
#define N 1000

static int a[N], b[N], c[N];
static float f[N], g[N];
static unsigned char bytes[N];

static void add(int n) { for (int i = 0; i < n; i++) c[i] = a[i] + b[i]; }
static int conditional(int n)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        if (a[i] > b[i])
            count++;
    return count;
}
static void select_max(int n)
{
    for (int i = 0; i < n; i++) {
        if (a[i] > 500)
            b[i] = 500;
        else
            b[i] = a[i];
    }
}
static void clear(int n) { for (int i = 0; i < n; i++) bytes[i] = 0; }
static void copy(int n) { for (int i = 0; i < n; i++) f[i] = g[i]; }
static unsigned popcount(unsigned long n) { unsigned r = 0; while (n) { n &= n - 1; r++; } return r; }
static long closed_form(long n) { long s = 0; for (long i = 0; i < n; i++) s += i * i; return s; }
static void dead(int n) { for (int i = 0; i < n; i++) { volatile int x = 0; (void)x; } for (int i = 0; i < n; i++) ; }
static int fixed(void) { int s = 0; for (int i = 0; i < 8; i++) for (int j = 0; j < 4; j++) s += i * j; return s; }
static void fill(int n)
{
    for (int i = 0; i < n; i++)
        a[i] = (i * 7919) % 1009;
    for (int i = 0; i < n; i++)
        b[i] = (i * 104729) % 1013;
    for (int i = 0; i < n; i++)
        g[i] = (float)i / 3;
}
static int search(int what)
{
    for (int i = 0; i < N; i++)
        if (a[i] == what)
            return i;
    return -1;
}
static int unswitch(int n, int flag)
{
    int r = 0;
    for (int i = 0; i < n; i++) {
        if (flag)
            r += a[i];
        else
            r -= b[i];
        r ^= i;
    }
    return r;
}
static void multiply(int n, double *x, const double *y)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                x[i * n + j] += y[i * n + k] * y[k * n + j];
}

int main(void)
{
    double x[400] = {0}, y[400];
    for (int i = 0; i < 400; i++)
        y[i] = i % 17;
    fill(N);
    add(N - 3);
    int count = conditional(N - 1);
    select_max(N);
    clear(N);
    copy(N);
    dead(50);
    multiply(20, x, y);
    printf("%d %d %d %u %ld %d %d %d %d %.1f %.1f\n", count, b[7], c[900], popcount(0x123456789abcdefUL), closed_form(77), fixed(), search(500),
           search(-1), unswitch(300, 1) ^ unswitch(200, 0), (double)f[300], x[333]);
    return 0;
}
