#include "c99-inline.h"

int from_second(int n)
{
    return bits(n * 3) + (n % 4 ? bits(n) : 0);
}
