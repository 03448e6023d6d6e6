/* Complex multiplication and division, overflow builtins, wide integers: clang emits control flow nobody wrote. */
#include <complex.h>
#include <stdio.h>

static int mandelbrot(double complex c)
{
    double complex z = 0;
    int n = 0;
    while (n < 50 && creal(z) * creal(z) + cimag(z) * cimag(z) < 4) {
        z = z * z + c;
        n++;
    }
    return n;
}
static double ratio(double complex a, double complex b) { return creal(a / b) + cimag(a * b); }
static int saturate(int a, int b)
{
    int r;
    if (__builtin_add_overflow(a, b, &r))
        return a > 0 ? 2147483647 : -2147483647 - 1;
    return r;
}
static unsigned __int128 power(unsigned n)
{
    unsigned __int128 r = 1;
    while (n--)
        r *= 7;
    return r;
}
static long double root(long double x)
{
    long double r = x;
    for (int i = 0; i < 20 && r * r - x > 1e-9L; i++)
        r = (r + x / r) / 2;
    return r;
}

int main(void)
{
    int sum = 0;
    for (int y = -8; y <= 8; y++)
        for (int x = -16; x <= 8; x++)
            sum += mandelbrot(x / 8.0 + y / 8.0 * I);
    printf("%d %.3f\n", sum, ratio(3 + 4 * I, 1 - 2 * I));
    printf("%d %d %d\n", saturate(2147483000, 1000), saturate(-2147483000, -1000), saturate(4, 5));
    printf("%llu %.6Lf\n", (unsigned long long)(power(40) >> 64), root(2));
    return 0;
}
