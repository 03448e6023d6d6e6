/* Weak definitions, kept and replaced, and a weak symbol nobody defines. */
#include <stdio.h>

__attribute__((weak)) int replaced(int n) { return n ? 1 : 2; }
__attribute__((weak)) int kept(int n)
{
    int r = 0;
    while (n-- > 0)
        r += replaced(n);
    return r;
}
__attribute__((weak)) int absent(int n);
int both_weak(int n);
int second(int n);
int real(int n) { return n > 2 ? n : -n; }
int other_name(int n) __attribute__((alias("real")));

int main(void)
{
    printf("%d %d %d\n", kept(7), second(4), both_weak(5));
    printf("%d\n", absent ? absent(1) : -1);
    printf("%d %d\n", other_name(1), other_name(7));
    return 0;
}
