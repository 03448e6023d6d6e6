/*
 * Exceptions and a fault inside a function that is not counted and was inlined, between counts of the
 * functions around it and inside it: flow tells most of them, and where the frame stood.
 *
 * group: signals
 * output: 4 caught
 * signal: 11
 */
#include "frames.h"

#define LIBRARY __attribute__((no_profile_instrument_function, always_inline))

static volatile int total, nothing;
static volatile int *volatile where = &nothing;

static inline int add(int n)
{
    if (n % 3 == 0)
        total = total + 1; /* count: 40 */
    return total + n;      /* count: 101 */
}
NOINLINE static int refuse(int n)
{
    if (n % 5 == 3)
        throw n; /* count: 4 */
    return n;    /* count: 17 */
}
LIBRARY static inline int between(int n)
{
    int sum = 0;
    if (n > 2)
        sum = add(n);
    if (n % 2)
        sum += refuse(n);
    sum += *where;
    if (n > 9)
        sum += add(sum);
    return sum;
}
NOINLINE static int step(int n)
{
    int sum = n;
    if (n & 4)
        sum++;         /* count: 21 */
    sum += between(n); /* count: 41 */
    if (sum & 1)
        total = total + 2; /* count: 20 */
    sum += add(n);         /* count: 36 */
    return sum;            /* count: 36 */
}

int main()
{
    int caught = 0;
    for (int i = 0; i < 40; i++) {
        try {
            step(i); /* count: 40 */
        } catch (int) {
            caught++; /* count: 4 */
        }
    }
    printf("%d caught\n", caught); /* count: 1 */
    fflush(stdout);                /* count: 1 */
    where = (volatile int *)16;    /* count: 1 */
    step(7);                       /* count: 1 */
    total = 0;                     /* count: 0 */
}
