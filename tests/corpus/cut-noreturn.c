/* Functions that never return, called from functions that therefore never return; a way out by exit. */
#include <stdio.h>
#include <stdlib.h>

static _Noreturn void stop(int code)
{
    printf("stop %d\n", code);
    exit(code);
}
static _Noreturn void loop(int n)
{
    for (;;) {
        n += 3;
        if (n % 7 == 0)
            stop(n);
    }
}
static int divide(int a, int b)
{
    if (b == 0)
        loop(a);
    return a / b;
}

int main(void)
{
    int sum = 0;
    for (int i = 5; i >= 0; i--)
        sum += divide(100, i);
    return sum;
}
