#include "same-name.h"

static int work(int n)
{
    int r = 0;
    for (int i = 0; i < n; i++)
        r += i;
    return r;
}
static int equal(int n)
{
    return n > 4 ? n - 4 : n;
}
int from_second(int n)
{
    return work(n) + equal(n + 3) + clamp(n * 2, 5, 9);
}
