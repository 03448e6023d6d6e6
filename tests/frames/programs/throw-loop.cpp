/*
 * Ten thousand exceptions, with and without clean-ups on their way.
 *
 * group: throws
 * output: 10000 5000
 * status: 0
 */
#include "frames.h"

static volatile int caught, cleaned, total;
struct cleanup {
    ~cleanup()
    {
        cleaned++; /* count: 5000 */
    }
};
NOINLINE static void leaf(int n)
{
    total++; /* count: 10000 */
    throw n; /* count: 10000 */
}
static inline void direct(int n)
{
    leaf(n);   /* count: 5000 */
    total = 0; /* count: 0 */
}
NOINLINE static void with_cleanup(int n)
{
    cleanup c;
    leaf(n);   /* count: 5000 */
    total = 0; /* count: 0 */
}
NOINLINE static void either(int n)
{
    if (n & 1)
        direct(n); /* count: 5000 */
    else
        with_cleanup(n); /* count: 5000 */
    total = 0;           /* count: 0 */
}

int main(void)
{
    for (int i = 0; i < 10000; i++)
        try {
            either(i); /* count: 10000 */
        } catch (int n) {
            caught++; /* count: 10000 */
        }
    printf("%d %d\n", caught, cleaned); /* count: 1 */
    return 0;
}
