/* The library of throw-library.cpp. */
static volatile int inside;
static void deeper(int n)
{
    inside++; /* count: 4 */
    if (n)
        throw n; /* count: 3 */
    inside += 0; /* count: 1 */
}
int library_throws(int n)
{
    deeper(n); /* count: 4 */
    inside++;  /* count: 1 */
    return n;
}
int library_calls(int (*call)(int), int n)
{
    int r = call(n); /* count: 4 */
    inside++;        /* count: 2 */
    return r;
}
int library_catches(int (*call)(int), int n)
{
    try {
        int r = call(n); /* count: 4 */
        inside += r;     /* count: 2 */
        return r;
    } catch (int) {
        inside++;  /* count: 2 */
        return -1; /* count: 2 */
    }
}
