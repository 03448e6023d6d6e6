/* callbr: an edge out of an asm statement cannot be split. */
#include <stdio.h>

static int is_odd(unsigned n)
{
    __asm__ goto("testl $1, %0\n\tjnz %l[odd]" : : "r"(n) : "cc" : odd);
    return 0;
odd:
    return 1;
}

static int sign(int n)
{
    __asm__ goto("testl %0, %0\n\tjs %l[negative]\n\tjz %l[zero]" : : "r"(n) : "cc" : negative, zero);
    return 1;
negative:
    return -1;
zero:
    return 0;
}

static int loop(int n)
{
    int turns = 0;
again:
    turns++;
    n -= 3;
    __asm__ goto("cmpl $0, %0\n\tjg %l[again]" : : "r"(n) : "cc" : again);
    return turns;
}

static int same_target(int n)
{
    int r = 0;
    for (int i = 0; i < n; i++) {
        __asm__ goto("testl $2, %0\n\tjnz %l[next]" : : "r"(i) : "cc" : next);
        r++;
    next:;
    }
    return r;
}

static int with_output(int n)
{
    int doubled;
    __asm__ goto("leal (%1,%1), %0\n\tcmpl $10, %0\n\tjg %l[big]" : "=r"(doubled) : "r"(n) : "cc" : big);
    return doubled;
big:
    return -doubled;
}

int main(void)
{
    int odd = 0, signs = 0, out = 0;
    for (int i = 0; i < 25; i++)
        odd += is_odd((unsigned)i), out += with_output(i);
    for (int i = -7; i < 12; i++)
        signs = signs * 2 + sign(i);
    printf("%d %d %d %d %d\n", odd, signs, loop(20), same_target(17), out);
    return 0;
}
