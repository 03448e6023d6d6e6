// Functions that exist in both objects and once in the program.
#include "comdat.h"

namespace {
int hidden(int n) { return n % 2 ? n : 0; }
}

int main()
{
    int a[] = {3, 9, 2};
    double d[] = {1.5, 0.5};
    int sum = largest(a, 3) + counted(4) + power<3>::of(2) + adder(7)(a[0]) + (int)largest(d, 2);
    box b(3, -4);
    shape s;
    sum += b.twice() + s.twice();
    for (int i = 0; i < 6; i++)
        sum += second(i) + hidden(i);
    printf("%d %d\n", sum, counted(-1));
    return 0;
}
