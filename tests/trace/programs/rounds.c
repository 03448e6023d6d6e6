/*
 * Loops that write the same events in every round: their number is a constant or known in front of the loop, none,
 * one, as many as fit a byte, more, or some with loops inside; loops that may be left sooner, or that decide; and
 * what comes before and after them.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned char from[70000], to[70001];
static uint32_t sums[300];
#define NOINLINE __attribute__((noinline))

NOINLINE static void copy(unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        to[i + 1] = from[i];
}
NOINLINE static uint32_t down(const uint32_t *numbers, int n)
{
    uint32_t sum = 0;
    while (n-- > 0)
        sum = sum * 3 + numbers[n];
    return sum;
}
NOINLINE static void square(void) /* constants, in two loops and in three */
{
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < 12; j++)
            sums[i * 12 + j] += (uint32_t)(i ^ j);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 5; i++)
            for (int j = 0; j < 7; j++)
                sums[i * 7 + j] *= (uint32_t)(k + 3);
}
NOINLINE static void triangle(int n)
{
    for (int k = 0; k < n; k++)
        for (int j = k + 1; j < n; j++)
            sums[j] += sums[k] >> (j & 7);
}
static inline uint32_t *at(uint32_t *all, int i)
{
    return all + i;
}
NOINLINE static void through(int n, int step) /* functions that are inlined, and another step */
{
    for (int i = 0; i < n; i += step)
        *at(sums, i) += *at(sums, n - 1 - i);
    for (uint32_t *p = sums; p != sums + n; p++)
        *p ^= *p << 3;
}
NOINLINE static int search(int what, int n) /* may be left sooner */
{
    for (int i = 0; i < n; i++)
        if (from[i] == what)
            return i;
    return -1;
}
NOINLINE static int decide(int n) /* writes other events in other rounds */
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        if (sums[i] & 4)
            count++;
        for (int j = 0; j < 4; j++)
            sums[i] += (uint32_t)j;
    }
    return count;
}
static int compare(const void *a, const void *b)
{
    uint32_t x = 0, y = 0;
    for (int i = 0; i < 4; i++) {
        x += ((const unsigned char *)a)[i];
        y += ((const unsigned char *)b)[i];
    }
    return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
    unsigned again = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    static const unsigned sizes[] = {0, 1, 2, 252, 253, 254, 255, 256, 3, 5000, 0, 70000, 1};
    for (unsigned r = 0; r < again; r++) {
        for (unsigned i = 0; i < sizeof from; i++)
            from[i] = (unsigned char)(i * 7 + r);
        for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            copy(sizes[i]);
            sums[i] += to[sizes[i]];
        }
        square();
        triangle(30);
        triangle(1);
        triangle(0);
        through(300, 1);
        through(299, 7);
        sums[0] += down(sums, 290) + down(sums, 0);
        sums[1] += (uint32_t)(search(200, 700) + search(3, 1) + decide(100));
        qsort(sums, 300, sizeof *sums, compare);
    }
    uint32_t all = 0;
    for (int i = 0; i < 300; i++)
        all = all * 31 + sums[i];
    printf("%u\n", all);
    return 0;
}
