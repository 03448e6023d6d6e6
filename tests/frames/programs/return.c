/*
 * Nothing is cut: the harness itself.
 *
 * group: exits
 * output: 45
 * status: 0
 */
#include "frames.h"

static inline int half(int n)
{
    if (n % 2)
        return n / 2 + 1; /* count: 5 */
    return n / 2;         /* count: 5 */
}

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 10; i++)
        sum += half(i) + i / 2; /* count: 10 */
    printf("%d\n", sum);        /* count: 1 */
    return 0;                   /* count: 1 */
}
