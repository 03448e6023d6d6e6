/* Loops with two entries, jumps into loops, loops that share their tail. */
#include <stdio.h>

static int two_entries(int n, int start)
{
    int left = 0, right = 0;
    if (start & 1)
        goto b;
a:
    left++;
    if (--n <= 0)
        goto done;
    if (n % 3 == 0)
        goto a;
b:
    right++;
    if (--n <= 0)
        goto done;
    if (n % 5 == 0)
        goto b;
    goto a;
done:
    return left * 1000 + right;
}

static int into_the_middle(int n)
{
    int i = 0, sum = 0;
    if (n > 4)
        goto inside;
    for (; i < n; i++) {
        sum += 10;
    inside:
        sum += i;
        while (sum % 4 == 1) {
            sum++;
            if (sum % 9 == 2)
                goto inside;
        }
    }
    return sum;
}

static int web(unsigned seed)
{
    int steps = 0;
#define NEXT(x) (seed = seed * 1103515245u + 12345u, (seed >> 16) % (x))
one:
    if (++steps > 50)
        return steps;
    switch (NEXT(4)) {
    case 0: goto two;
    case 1: goto three;
    case 2: goto four;
    }
two:
    if (++steps > 50)
        return -steps;
    if (NEXT(2))
        goto four;
three:
    steps++;
    if (NEXT(3) == 0)
        goto one;
    if (steps > 60)
        return 7;
four:
    steps += 2;
    if (NEXT(5) < 3)
        goto two;
    goto three;
}

int main(void)
{
    for (int n = 0; n < 12; n++)
        printf("%d %d %d\n", two_entries(n, n), into_the_middle(n), web((unsigned)n));
    return 0;
}
