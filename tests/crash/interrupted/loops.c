/* Loops that a signal may interrupt anywhere: `tick` says how far they are. */
#include "../point.h"
#include <stdio.h>
#include <stdlib.h>

static unsigned state = 1;
static int numbers[64];

static inline int next(int most)
{
    state = state * 1103515245 + 12345;
    return (int)(state >> 16) % most;
}

static inline int classify(int x)
{
    if (x % 3 == 0)
        return x & 8 ? 5 : 1;
    if (x % 7 == 2)
        return 2;
    return x > 40 ? 3 : 4;
}

__attribute__((noinline)) static int work(int how)
{
    int s = 0, i;
    tick++;
    if (how & 1)
        s = abs(how);
    else if (how & 2)
        s = how * 3;
    for (i = 0; i < 12; i++) {
        int x = numbers[(i + how) & 63];
        tick++;
        if (x & 1)
            s += classify(x);
        else if (x & 4)
            s ^= x / (how % 5 + 1);
        if (s % 13 == 5) {
            tick++;
            s += abs(x - how);
        }
        while (s > 90) {
            s -= classify(s) + 20;
            tick++;
        }
    }
    tick++;
    if (s & 2)
        s += numbers[s & 63] + abs(i);
    return s + classify(how);
}

int main(void)
{
    long total = 0;
    for (int i = 0; i < 64; i++)
        numbers[i] = next(100);
    interrupt();
    for (int i = 0; i < 6000; i++) {
        if (i % 5 == 1)
            total += work(i);
        else
            total -= work(i / 2) & 7;
        numbers[i & 63] = next(100);
    }
    printf("%ld %ld\n", total, (long)tick);
    return 0;
}
