/* Static functions of the same name in two units, with equal and with different graphs. */
#include <stdio.h>
#include "same-name.h"

static int work(int n)
{
    if (n % 2)
        return n * 3;
    return n;
}
static int equal(int n)
{
    return n > 4 ? n - 4 : n;
}

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 20; i++)
        sum += work(i) + equal(i) + clamp(i, 3, 11) + from_second(i);
    printf("%d\n", sum);
    return 0;
}
