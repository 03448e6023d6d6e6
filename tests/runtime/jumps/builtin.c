/* With builtin-plain.c, which is compiled without counters and jumps by __builtin_longjmp, over b. */
#include "truth.h"

volatile int x;
void jump(void);
int go(void);

void b(void)
{
    T;
    x++;
    jump();
    T;
    x++;
}

int main(void)
{
    T;
    return go();
}
