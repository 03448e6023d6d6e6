/* The library of exit-library-callback.c. */
static int one(int i, int (*call)(int))
{
    if (i % 2)
        return call(i) + 1; /* count: 3 */
    return call(i);         /* count: 3 */
}
int each(int n, int (*call)(int))
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum += one(i, call); /* count: 6 */
        sum ^= 1;            /* count: 5 */
    }
    return sum; /* count: 1 */
}
