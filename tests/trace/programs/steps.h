/* Work for traces of many chunks: a callback of the C library, and a loop. */
static int compare(const void *a, const void *b)
{
    return *(const int *)a < *(const int *)b ? -1 : *(const int *)a > *(const int *)b;
}
__attribute__((noinline)) static int steps(unsigned long n)
{
    int s = 0;
    for (; n != 1; s++)
        n = n & 1 ? 3 * n + 1 : n / 2;
    return s;
}
