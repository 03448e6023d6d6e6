/* Functions that are not counted are inlined into those that are: what stands in them stands in a call, at a point of the function
 * around them. */
#include "truth.h"
#define UNCOUNTED __attribute__((no_profile_instrument_function, always_inline)) static inline
static volatile int out, limit = 3;
static int table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
__attribute__((noinline)) static int counted(int x)
{
    T;
    return x ^ out;
}
UNCOUNTED int sum(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += table[(s + i) & 15];
    return s;
}
UNCOUNTED int clamp(int x)
{
    if (x > 50)
        out = x;
    return x > 50 ? counted(50) : x;
}
static inline int both(int x)
{
    T;
    x = clamp(x * 5);
    if (x & 1) {
        T;
        return sum(limit) + x;
    }
    T;
    return clamp(x) + sum(2);
}
UNCOUNTED int nested(int x)
{
    int s = both(x);
    if (s & 2)
        s += both(s & 7);
    return s + table[s & 15];
}
void work(void)
{
    int s = sum(limit);
    T;
    for (int i = 0; i < limit; i++) {
        s += nested(i + out);
        if (s & 4) {
            T;
            continue;
        }
        T;
        s += clamp(sum(i));
    }
    for (int i = 0; i < 4; i++) {
        T;
        table[i] = sum(limit) & s;
    }
    T;
    out = s;
}
void warm(void) {}
