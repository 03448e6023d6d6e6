/*
 * Straight code that does what several functions say: their counts are made together at its end. It stands in
 * the function that untraced code enters (a thunk), since its body is called from nowhere else.
 */
#include "truth.h"
static double a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8};
static volatile double sink;
static inline double times(double x, double y)
{
    return x * y;
}
static inline double dot(const double *x, const double *y)
{
    return times(x[0], y[0]) + times(x[1], y[1]) + times(x[2], y[2]);
}
static double ray(const double *from, const double *way)
{
    double to = dot(from, way), rest = 1 - dot(from, from) + to * to;
    sink = rest;
    from = way;
    sink = dot(from, from) + dot(way, b);
    return rest < 0 ? -1 : to;
}
double hit(const double *from, const double *way)
{
    return ray(from, way);
}
double (*volatile hits)(const double *, const double *) = hit;
void work(void)
{
    T;
    sink = hits(a, b);
    T;
    sink = hits(b, a);
    T;
}
void warm(void)
{
    hits(a, a);
}
