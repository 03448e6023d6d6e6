/* Jumps, over a function of whoever calls it. */
#include <setjmp.h>

static jmp_buf kept;
static int odd;

static void jump(void)
{
    if (odd)
        longjmp(kept, 1);
}

int jumps(int n, void (*back)(void (*)(void)))
{
    odd = n & 1;
    if (setjmp(kept) == 0)
        back(jump);
    return n;
}
