/* One function of six thousand blocks: whoever recurses over a graph, or is slower than linear, shows it here. */
#include <stdio.h>

#define STEP if (x & 1) y += x; else y ^= 3; x = x >> 1 | y << 31;
#define T(S) S S S S S S S S S S
#define ROW T(T(STEP))

static unsigned long_one(unsigned x)
{
    unsigned y = 1;
    if (x > 1000)
        return 0;
    ROW
    ROW
    ROW
    ROW
    ROW
    ROW
    ROW
    ROW
    ROW
    ROW
    ROW
    ROW
    ROW
    ROW
    ROW
    ROW
    ROW
    ROW
    ROW
    ROW
    return x ^ y;
}

int main(void)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < 5; i++)
        sum += long_one(i * 77);
    printf("%u %u\n", sum, long_one(1001));
    return 0;
}
