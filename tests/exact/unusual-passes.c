/* Code that passes of the optimiser which are off unless asked for make something else of: stores and additions that end several blocks, nests of loops,
 * automata, functions that are nearly the same, code that never runs. */
#include "../trace/programs/truth.h"
#include <stdio.h>
#include <stdlib.h>
static int a[64][64], b[64][64];
__attribute__((noinline)) static int f(int x, int *p) {
    int r;
    if (x % 3 == 0) {
        T; r = p[0] + x; p[1] = r;
    } else if (x % 3 == 1) {
        T; r = p[0] + x + 1; p[1] = r;
    } else {
        T; r = p[2]; p[1] = r;
    }
    return r;
}
static inline int one(int x, int *p) {
    if (x & 4) {
        T; p[0] += x;
        return 1;
    }
    T; p[1] += x;
    return 2;
}
static inline int two(int x, int *p) {
    if (x & 4) {
        T; p[0] -= x;
        return 3;
    }
    T; p[1] ^= x;
    return 4;
}
__attribute__((noinline)) static int g(int x, int *p) {
    switch (x % 7) {
    case 0: T; p[0]++; break;
    case 1: T; p[0] += 2; break;
    case 2: T; p[0] += 3; break;
    case 5: T; p[0] += 4; break;
    default: T; p[0] += 7;
    }
    if (x & 1) {
        T; return one(x, p);
    } else {
        T; return two(x, p);
    }
}
__attribute__((noinline)) static int h(int x, int *p) {
    int r = 0;
    for (int i = 0; i < x % 9; i++) {
        T;
        if (i & 1) {
            if (p[i % 4] > 3) {
                T; r += 2;
            } else {
                T; r += 3;
            }
        } else {
            T; r += p[i % 4];
        }
    }
    return r;
}
__attribute__((noinline)) static void nest(void) {
    for (int j = 0; j < 64; j++)
        for (int i = 0; i < 64; i++) {
            T; a[i][j] += b[i][j] + i;
        }
    for (int i = 0; i < 64; i++) {
        T;
        for (int j = 0; j < 64; j++)
            b[i][j] += a[j][i];
    }
}
__attribute__((noinline)) static int state(const char *s) {
    int st = 0, n = 0;
    for (; *s; s++) {
        T;
        switch (st) {
        case 0: T; if (*s == 'a') st = 1; break;
        case 1: T; if (*s == 'b') st = 2; else st = 0; break;
        case 2: T; n++; st = *s == 'c' ? 0 : 1; break;
        }
    }
    return n;
}
__attribute__((noinline)) static void bad(int x) { T; fprintf(stderr, "bad %d\n", x); T; exit(3); }
int main(void) {
    int p[4] = {1, 2, 3, 4};
    long s = 0;
    for (int i = 0; i < 1000; i++) {
        T; s += f(i, p); s += g(i, p); s += h(i, p);
        if (s == 12345678901) { T; bad(i); }
    }
    nest();
    s += state("abcabcaababcbcabacabcabcbabcabababab");
    printf("%ld %d\n", s, a[3][4] + b[5][6]);
    return 0;
}
