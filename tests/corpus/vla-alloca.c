/* Arrays whose size is known at run time, stack saved and restored around scopes, left in every way. */
#include <alloca.h>
#include <stdio.h>
#include <string.h>

static int vla(int n)
{
    int a[n], sum = 0;
    for (int i = 0; i < n; i++)
        a[i] = i * i;
    for (int i = 0; i < n; i++) {
        int b[i + 1];
        if (i % 4 == 3)
            continue;
        for (int j = 0; j <= i; j++)
            b[j] = a[i] + j;
        if (b[i] > 200)
            break;
        sum += b[i / 2];
    }
    return sum;
}

static int early(int n)
{
    for (int k = 1; k < n; k++) {
        char text[k * 3];
        memset(text, 'a' + k, sizeof text);
        if (k == 6)
            return text[k];
        {
            short more[k][2];
            more[k - 1][1] = (short)k;
            if (more[k - 1][1] * 2 > n)
                goto out;
        }
    }
out:
    return n;
}

static long stack(int n)
{
    long r = 0;
    for (int i = 1; i < n; i++) {
        char *p = alloca((size_t)i);
        memset(p, i, (size_t)i);
        r += p[i - 1];
    }
    return r;
}

static int matrix(int n, int m[n][n])
{
    int trace = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (i == j)
                trace += m[i][j];
    return trace;
}

int main(void)
{
    int m[4][4];
    for (int i = 0; i < 16; i++)
        m[i / 4][i % 4] = i;
    printf("%d %d %d %ld %d\n", vla(20), early(30), early(7), stack(50), matrix(4, m));
    return 0;
}
