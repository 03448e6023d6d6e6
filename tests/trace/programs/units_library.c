/* A shared library. */
static int leaf(int n)
{
    return n & 1 ? n : -n;
}
int in_library(int n, int (*f)(int))
{
    return n > 4 ? f(n) + leaf(n) : leaf(n + 1);
}
