/* exit from ten frames deep, with functions to run at exit. */
#include <stdio.h>
#include <stdlib.h>

static int depth;
static void at_exit(void)
{
    for (int i = 0; i < 3; i++)
        depth--;
    printf("%d\n", depth);
}
__attribute__((noinline)) static int down(int n)
{
    depth++;
    if (n == 0)
        exit(7);
    int r = down(n - 1);
    return r + depth;
}

int main(void)
{
    atexit(at_exit);
    for (int i = 0; i < 4; i++)
        depth += i;
    return down(10);
}
