/*
 * While one exception unwinds, destructors throw and catch others, and call functions that do.
 *
 * group: throws
 * output: 3 5 3 5
 * status: 0
 */
#include "frames.h"

static volatile int outer, inner, passed, ended;
NOINLINE static void fails(int n)
{
    if (n >= 0)
        throw 1.5; /* count: 5 */
    passed = 0;    /* count: 0 */
}
NOINLINE static void through(int n)
{
    fails(n);   /* count: 5 */
    passed = 0; /* count: 0 */
}
struct guard {
    int n;
    ~guard()
    {
        try {
            through(n); /* count: 5 */
            passed = 0; /* count: 0 */
        } catch (double) {
            inner++; /* count: 5 */
        }
        ended++; /* count: 5 */
    }
};
NOINLINE static void work(int n)
{
    guard one{n};
    if (n == 2)
        throw 'c'; /* count: 1 */
    guard two{n};
    passed++; /* count: 2 */
    if (n == 1)
        throw n; /* count: 1 */
    if (n == 4)
        throw "four"; /* count: 1 */
}

int main(void)
{
    for (int i = 1; i < 5; i++) {
        if (i == 3)
            continue;
        try {
            work(i);    /* count: 3 */
            passed = 0; /* count: 0 */
        } catch (int) {
            outer++; /* count: 1 */
        } catch (char) {
            outer++; /* count: 1 */
        } catch (const char *) {
            outer++; /* count: 1 */
        }
    }
    passed++;
    printf("%d %d %d %d\n", outer, inner, passed, ended); /* count: 1 */
    return 0;
}
