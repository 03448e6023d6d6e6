/* Nothing here may be moved, merged or dropped: volatile, inline assembly, memory barriers, pointers that alias. */
#include <stdio.h>
#include <string.h>

static volatile int shared = 3;
static int poll(int n)
{
    int seen = 0;
    while (shared < n) {
        shared++;
        if (shared == 7)
            seen += shared;
        __asm__ volatile("" ::: "memory");
    }
    return seen;
}
static unsigned long rotate(unsigned long n, int k)
{
    for (int i = 0; i < k; i++)
        __asm__("rolq $3, %0" : "+r"(n));
    return n;
}
static int aliases(int *a, int *b, int n)
{
    for (int i = 0; i < n; i++) {
        *a += i;
        if (*b % 2)
            *b -= 1;
        else
            *a ^= 5;
    }
    return *a + *b;
}
static int pun(float x)
{
    int bits;
    memcpy(&bits, &x, 4);
    return bits < 0 ? -1 : bits > 0x3f800000;
}

int main(void)
{
    int x = 1, y = 2;
    int first = aliases(&x, &y, 10), second = aliases(&x, &x, 10);
    printf("%d %d %lx %d %d\n", poll(12), poll(5), rotate(0x1234567, 5), first, second);
    printf("%d %d %d\n", pun(-1.5f), pun(0.5f), pun(2));
    return 0;
}
