/* The same by builtins, which must not jump within one function. */
#include "truth.h"
#include <stdio.h>

static void *a[5], *b[5];
static volatile int n;

__attribute__((noinline)) static void jump(void **where)
{
    T;
    __builtin_longjmp(where, 1);
}

int main(void)
{
    int r = __builtin_setjmp(a);
    n += r; T;
    n += 0; T;
    int s = __builtin_setjmp(b);
    n += s; T;
    if (n < 3)
        jump(a);
    if (n < 6)
        jump(b);
    printf("%d\n", n); T;
    return 0;
}
