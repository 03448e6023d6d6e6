/* Expressions, calls, conditions and initialisers that spread over lines, in and against the order of execution. */
#include <stdio.h>

static int three(int a, int b, int c) { return a * 100 + b * 10 + c; }
static int half(int n)
{
    return
        n
        /
        2;
}
static int spread(int n)
{
    int r = three(
        half(n),
        n > 3
            ? half(n + 1)
            : three(n,
                    half(n),
                    0),
        n);
    if (n > 2
        && r % 2
        || n == 0
        || (r > 50
            && half(r)
               > 10))
        r +=
            1;
    else if (
        r
        < 20
    )
        r
            = 0;
    for (int i = 0
         ; i < n
         ; i++
    )
        r += i
             % 2
             ? 1
             : 2;
    do
    {
        r--;
    }
    while (
        r > 40
        &&
        r % 5
    );
    int list[] = {
        r,
        half(r),
        r ? 1
          : 0,
    };
    return list[0]
           + list[1]
           + list[2];
}
static int comma(int n)
{
    int a, b;
    a = n, b = a + 1,
    a = b * 2;
    for (a = 0,
         b = n; a < b; a++,
         b--)
        n += a,
        n -= b % 3;
    return n;
}

int main(void)
{
    for (int i = 0; i < 9; i++)
        printf("%d %d\n",
               spread(i),
               comma(
                   i
               ));
    return
        0;
}
