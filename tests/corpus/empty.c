/* Functions with nothing in them, code nothing reaches, functions nobody calls. */
#include <stdio.h>

static void nothing(void) {}
static void returns(void) { return; }
static int constant(void) { return 42; }
int never_called(int n) { if (n) return n + 1; while (n < 10) n++; return n; }
static int after_return(int n)
{
    return n + 1;
    n *= 2;
    if (n > 3)
        nothing();
    return n;
}
static int after_goto(int n)
{
    goto end;
    n++;
dead:
    n += 2;
    if (n)
        goto dead;
end:
    return n;
}
static int if_zero(int n)
{
    if (0) {
        n += 100;
    label:
        n += 10;
    }
    if (1)
        n++;
    else
        n--;
    if (n == 5)
        goto label;
    while (0)
        n++;
    for (;;)
        break;
    do {
    } while (0);
    return n;
}
static int after_endless(int n)
{
    for (;;)
        if (n++ > 10)
            return n;
    nothing();
    return 0;
}
static int break_first(int n)
{
    while (1) {
        break;
        n++;
    }
    switch (n) {
        n += 50;
    case 1:
        return n;
        n += 5;
    }
    return -n;
}

int main(void)
{
    nothing();
    for (int i = 0; i < 3; i++)
        returns(), nothing();
    printf("%d %d %d %d %d %d %d\n", constant(), after_return(1), after_goto(2), if_zero(4), if_zero(1), after_endless(3), break_first(1));
    return 0;
}
