#include "comdat.h"

namespace {
int hidden(int n) { return n > 2 ? -1 : 1; }
}

int second(int n)
{
    int a[] = {n, 4, n * 2};
    box b(n - 2, n);
    long l[] = {1, 2};
    return largest(a, 3) + counted(n) + power<3>::of(n) + adder(n)(n) + b.twice() + hidden(n) + (int)largest(l, 2);
}
