/* Two calls that return twice in one block. */
#include "truth.h"
#include <setjmp.h>
#include <stdio.h>

static jmp_buf a, b;
static volatile int n;

int main(void)
{
    int r = setjmp(a);
    n += r; T;
    n += 0; T;
    int s = setjmp(b);
    n += s; T;
    if (n < 3)
        longjmp(a, 1);
    if (n < 6)
        longjmp(b, 1);
    printf("%d\n", n); T;
    return 0;
}
