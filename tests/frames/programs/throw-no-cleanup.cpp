/*
 * Exceptions pass frames without clean-ups, some of them inlined, on their way to a handler.
 *
 * group: throws
 * output: 4 21
 * status: 0
 */
#include "frames.h"

static volatile int caught, total;
NOINLINE static void leaf(int n)
{
    total++; /* count: 12 */
    if (n % 3 == 2)
        throw n; /* count: 5 */
    total += 0;  /* count: 7 */
}
static inline int inner(int n)
{
    leaf(n);              /* count: 12 */
    total++;              /* count: 7 */
    return n > 4 ? 1 : 2; /* count: 7 */
}
NOINLINE static int frame(int n)
{
    int r = inner(n); /* count: 12 */
    total += r > 5;   /* count: 7 */
    return r;         /* count: 7 */
}
NOINLINE static int three(int n)
{
    int r = frame(n);  /* count: 5 */
    r += frame(n + 1); /* count: 4 */
    r += frame(n + 2); /* count: 3 */
    total += 0;        /* count: 0 */
    return r;          /* count: 0 */
}

int main(void)
{
    for (int i = 0; i < 4; i++) {
        try {
            total += three(i) ? 0 : 1; /* count: 4 */
            total += 0;                /* count: 0 */
        } catch (int n) {
            caught++; /* count: 4 */
        }
    }
    try {
        three(3 - 3); /* count: 1 */
    } catch (...) {
        total += 2; /* count: 1 */
    }
    printf("%d %d\n", caught, total); /* count: 1 */
    return 0;
}
