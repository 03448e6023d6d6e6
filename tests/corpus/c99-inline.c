/* A function whose body is inlined in a unit that does not define it: its runs there count too. */
#include <stdio.h>
#include "c99-inline.h"

extern inline int bits(int n);

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 20; i++)
        sum += bits(i) + from_second(i);
    printf("%d\n", sum);
    return 0;
}
