/* Loops in loops, of every shape: counted, uncounted, left in the middle, left two at once. */
#include <stdio.h>

static int triangle(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            for (int k = j; k > 0; k--)
                sum += i ^ j ^ k;
    return sum;
}

static int leave_two(int n)
{
    int found = 0;
    for (int i = 0; i < n; i++) {
        int j = 0;
        while (1) {
            if (++j > i)
                break;
            if ((i * j) % 7 == 3)
                continue;
            do {
                found++;
                if (found % 5 == 4)
                    break;
                if (found > 90)
                    goto out;
            } while (found % 3);
        }
    }
out:
    return found;
}

static int never_enter(int n)
{
    int r = 1;
    for (int i = 0; i > n; i++)
        r *= 2;
    while (n < 0)
        r--;
    do
        r++;
    while (n == -1);
    return r;
}

static unsigned collatz(unsigned n)
{
    unsigned steps = 0;
    for (; n != 1; steps++)
        n = n & 1 ? 3 * n + 1 : n / 2;
    return steps;
}

static int endless_with_return(int n)
{
    for (;;) {
        for (;;) {
            if (n % 11 == 0)
                return n;
            if (n % 2)
                break;
            n += 3;
        }
        n++;
    }
}

int main(void)
{
    printf("%d %d %d\n", triangle(13), leave_two(30), never_enter(3));
    unsigned total = 0;
    for (unsigned n = 1; n < 200; n++)
        total += collatz(n);
    printf("%u\n", total);
    for (int i = 0; i < 30; i++)
        printf("%d%c", endless_with_return(i), i == 29 ? '\n' : ' ');
    return 0;
}
