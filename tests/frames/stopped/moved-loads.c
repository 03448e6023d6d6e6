/* Loads that the scheduler moves in their block, and rounds of an unrolled loop. The index in
 * table[argv[1]] is bad: who uses it dies. END: no load is moved to another block; the truth would be another
 * one at each level. */
#include <stdio.h>
#include <stdlib.h>
#ifdef TRUTH
#include "truth.h"
#else
#define T
#endif
#define END __asm__ volatile("" : "+r"(x), "+r"(y) : : "memory")
static int table[32], ints[64];
static long longs[64], sum;
static unsigned char bytes[64];
static int folded(int x, int y)
{
    T; x += ints[table[y & 31]] ^ bytes[(x + 3) & 63];
    END;
    if ((longs[table[x & 31]] & 3) == 1) {
        T; y += ints[table[(x + y) & 31]] * 5;
        sum += bytes[table[(y + 7) & 31]];
        END;
    }
    T; x ^= ints[(y + 9) & 63] + bytes[table[x & 31]];
    END;
    return x + y;
}
__attribute__((noinline)) static int nested(int x, int y)
{
    T; y += ints[(x + 5) & 63] - 3 * ints[table[(x + 1) & 31]];
    longs[(y + 2) & 63] += bytes[(x + 8) & 63];
    END;
    for (int i = 0; i < (x & 7); i++) {
        T; y ^= (int)longs[table[(i + y) & 31]] + bytes[(y + 11) & 63];
        END;
        if (bytes[table[(y + 4) & 31]] & 4) {
            T; x += ints[table[(y + 6) & 31]];
            END;
            continue;
        }
        T; sum += ints[(y + 21) & 63];
        ints[table[(x + i) & 31]] += (int)longs[(y + 30) & 63] ^ bytes[table[y & 31]];
        x += folded(y, i);
        END;
    }
    T; x += (int)longs[table[(y + 16) & 31]] - ints[(x + 2) & 63];
    END;
    return x ^ y;
}
/* Its rounds are unrolled, and have the same positions. */
__attribute__((noinline)) static int unrolled(int x, int y)
{
    T; x++;
    END;
    for (int i = 0; i < 5; i++) {
        T; x += ints[table[(i + y) & 31]];
        END;
        T; x += ints[table[(y + 19) & 31]];
        y -= ints[table[(x + 13) & 31]];
        END;
    }
    T; return x + y;
}
int main(int argc, char **argv)
{
    int x = 0, y = argc, bad = atoi(argv[1]);
    for (int i = 0; i < 64; i++) {
        ints[i] = i * 29 % 31;
        longs[i] = i * 17 % 23;
        bytes[i] = (unsigned char)(i * 7);
        table[i & 31] = (i & 31) == bad ? 1 << 28 : i * 5 & 63;
    }
    for (int i = 0; i < 9; i++) {
        T; x += unrolled(i, i * 3);
        END;
        T; x += nested(i + y, x) + ints[table[(i + 24) & 31]];
        y += (int)longs[table[(x + 13) & 31]];
        END;
    }
    printf("%d %d %ld\n", x, y, sum);
    return 0;
}
