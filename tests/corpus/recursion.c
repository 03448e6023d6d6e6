/* Recursion, mutual recursion, deep recursion. */
#include <stdio.h>

static unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

static unsigned ackermann(unsigned m, unsigned n)
{
    if (m == 0)
        return n + 1;
    if (n == 0)
        return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

static int odd(int n);
static int even(int n)
{
    if (n == 0)
        return 1;
    return odd(n - 1);
}
static int odd(int n)
{
    if (n == 0)
        return 0;
    return even(n - 1);
}

static int hanoi(int n, int from, int to, int by, int moves)
{
    if (n == 0)
        return moves;
    moves = hanoi(n - 1, from, by, to, moves) + 1;
    return hanoi(n - 1, by, to, from, moves);
}

static long deep(long n)
{
    volatile char weight[64];
    weight[n & 63] = (char)n;
    if (n > 0)
        return deep(n - 1) + weight[n & 63];
    return 0;
}

static int queens(int n, int row, unsigned columns, unsigned left, unsigned right)
{
    if (row == n)
        return 1;
    int found = 0;
    for (unsigned free = ~(columns | left | right) & ((1u << n) - 1); free; free &= free - 1) {
        unsigned bit = free & -free;
        found += queens(n, row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return found;
}

int main(void)
{
    printf("%u %u %d %d\n", fib(17), ackermann(2, 9), even(1000), odd(333));
    printf("%d %ld %d\n", hanoi(9, 1, 3, 2, 0), deep(3000), queens(7, 0, 0, 0, 0));
    return 0;
}
