/* Loops that are written into the trace before they run: what comes before and after them is exact wherever control stands. Nothing in the loops counts:
 * it would keep their events there. */
#include "truth.h"
static unsigned numbers[64], more[64];
static unsigned char bytes[40], others[41];
static volatile unsigned sink;
__attribute__((noinline)) static unsigned fill(unsigned n)
{
    T;
    for (unsigned i = 0; i < n; i++)
        numbers[i] = numbers[i] * 3 + i;
    T;
    if (n & 1) {
        T;
        sink += n;
    }
    return n;
}
__attribute__((noinline)) static void copy(void)
{
    T;
    for (int i = 0; i < 40; i++)
        others[i + 1] = bytes[i];
    T;
}
static inline unsigned *at(unsigned *all, unsigned i)
{
    return all + i;
}
__attribute__((noinline)) static unsigned nested(unsigned n)
{
    unsigned s = 0;
    T;
    for (unsigned i = 0; i < n; i++) {
        T;
        for (unsigned k = 0; k < 5; k++)
            *at(more, k + i) += *at(numbers, k) ^ i;
        T;
        for (unsigned k = i; k < n; k++)
            s = s * 7 + *at(more, k);
    }
    T;
    return s;
}
void work(void)
{
    T;
    sink = fill(0) + fill(1) + fill(2) + fill(9);
    T;
    copy();
    T;
    for (unsigned i = 0; i < 6; i++)
        for (unsigned k = 0; k < 4; k++)
            more[i * 4 + k] ^= numbers[k];
    T;
    sink = nested(4);
    T;
}
void warm(void) {}
