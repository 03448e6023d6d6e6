// The other unit.
#include "units.h"

static int own(int n)
{
    int s = 0;
    while (n > 0) {
        s++;
        n -= 4;
    }
    return s;
}
__attribute__((noinline)) int second(int n)
{
    Box<int> box;
    box.value = 7 - n;
    return box.pick(n) + shared(n) + (n > 5 ? first(n - 5) : counted());
}
