/* abort in the middle of a loop. */
#include <stdio.h>
#include <stdlib.h>

static void check(int n)
{
    if (n * n > 200) {
        printf("%d\n", n);
        fflush(stdout);
        abort();
    }
}

int main(void)
{
    for (int i = 0; i < 100; i++)
        check(i);
    return 0;
}
