// main's unit; replaced() of the other one is the one that counts.
#include "units.h"
#include <cstdio>

static int own(int n)
{
    return n % 3 ? 1 : 2;
}
int replaced(int n)
{
    return n > 1 ? -1 : -2;
}
int first(int n)
{
    Box<int> box;
    box.value = n;
    return shared(n) + box.pick(n) + (n > 0 ? second(n - 1) : 0);
}

int main()
{
    int s = 0;
    for (int i = 0; i < 12; i++)
        s += first(i) + counted() + replaced(i) + in_library(i, second);
    std::printf("%d\n", s);
}
