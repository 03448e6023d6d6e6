#include "truth.h"
static volatile unsigned sink;
static int mode;
__attribute__((noinline)) static void loop(unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        T;
        if (i & 1) {
            T;
            sink += i;
        } else {
            T;
            sink ^= i;
        }
    }
}
__attribute__((noinline)) static unsigned inner2(unsigned x)
{
    T;
    for (unsigned k = 0; k < (x & 7); k++) {
        T;
        sink += k;
    }
    T;
    return x * 3;
}
static unsigned small(unsigned x)
{
    T;
    if (x > 3) {
        T;
        return x - 1;
    }
    return x + 1;
}
__attribute__((noinline)) static unsigned loop2(unsigned n)
{
    unsigned s = 0;
    T;
    for (unsigned i = 0; i < n; i++) {
        T;
        if (i % 3 == 0) {
            T;
            s += inner2(i);
        } else {
            T;
            s ^= small(i);
        }
        T;
        switch (i & 3) {
        case 0:
            T;
            break;
        case 1:
            T;
            s += 2;
            break;
        default:
            T;
        }
    }
    T;
    return s;
}
void work(void)
{
    T;
    loop(7);
    T;
    sink = loop2(7);
    T;
}
void warm(void) {}
