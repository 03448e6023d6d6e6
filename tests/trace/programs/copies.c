/* Faults in a round of a loop: copies WHICH ROUND. The optimiser makes several rounds one piece of code, and the
 * fault is in one of them. */
#include "truth.h"
#include <stdlib.h>
enum { ROUNDS = 12 };
static int dividends[ROUNDS], good = 3, out[ROUNDS];
static int *pointers[ROUNDS];
static volatile int sum, rounds = ROUNDS;
__attribute__((noinline)) static int divide(const int *d, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        T;
        s += 100 / d[i];
        T;
    }
    return s;
}
__attribute__((noinline)) static int load(int **p)
{
    int s = 0;
    for (int i = 0; i < ROUNDS; i++) {
        T;
        s += *p[i];
        T;
    }
    return s;
}
__attribute__((noinline)) static void store(int **p, int n)
{
    for (int i = 0; i < n; i++) {
        T;
        *p[i] = i;
        T;
    }
}
__attribute__((noinline)) static int several(int **p, const int *d, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        T;
        s += *p[i];
        T;
        s += 100 / d[i];
        T;
        *p[i] = s;
    }
    return s;
}
__attribute__((noinline)) static int late(int **p)
{
    int s = 0;
    for (int i = 0; i < ROUNDS; i++) {
        out[i] = i;
        s ^= i * 3;
        s += *p[i];
        T;
    }
    return s;
}
int main(int argc, char **argv)
{
    int at = atoi(argv[2]);
    for (int i = 0; i < ROUNDS; i++) {
        dividends[i] = i + 1;
        pointers[i] = &good;
    }
    if (argv[1][0] == 'd' || argv[1][0] == 'D')
        dividends[at] = 0;
    else
        pointers[at] = NULL;
    T;
    switch (argv[1][0]) {
    case 'd':
        sum = divide(dividends, rounds);
        break;
    case 'l':
        sum = load(pointers);
        break;
    case 's':
        store(pointers, rounds);
        break;
    case 'S':
    case 'D':
        sum = several(pointers, dividends, rounds);
        break;
    case 'e':
        sum = late(pointers);
    }
    T;
    return sum;
}
