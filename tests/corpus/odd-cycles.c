/* Loops that would be vectorised but for a cycle inside that is entered at two places: one iteration passes its blocks many times, more often than 16 bits tell. */
#include <stdio.h>

static int results[1000];
static unsigned starts[1000];

__attribute__((noinline)) static void often(unsigned limit)
{
    for (int i = 0; i < 1000; i++) {
        unsigned x = starts[i], rounds = 0;
        if (x & 1)
            goto odd;
    even:
        x = x * 3 + 1;
        if (x == 77)
            goto done;
    odd:
        x += 7;
        rounds++;
        if (rounds < limit)
            goto even;
    done:
        results[i] = (int)x;
    }
}

/* What a path counts depends on one condition, in such a cycle. */
__attribute__((noinline)) static int either(const int *a, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        int k = a[i] & 7;
        if (k & 1)
            goto second;
    first:
        sum += k > 3 ? 2 : 5;
    second:
        if (--k > 0)
            goto first;
        sum ^= i;
    }
    return sum;
}

int main(void)
{
    for (int i = 0; i < 1000; i++)
        starts[i] = (unsigned)i;
    often(100);
    printf("%d %d\n", results[5], either(results, 1000));
    return 0;
}
