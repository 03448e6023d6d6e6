/* An inline definition in C: one unit has the function, the others have a copy that may be inlined. */
inline int bits(int n)
{
    int r = 0;
    while (n > 0)
        r += n & 1, n >>= 1;
    return r;
}
int from_second(int n);
