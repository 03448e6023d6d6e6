/* The library of throw-plain-library.cpp, without counters. */
int plain_calls(int (*call)(int), int n)
{
    return call(n) + 1;
}
int plain_throws(int n)
{
    if (n == 1)
        throw n;
    return n;
}
int plain_catches(int (*call)(int), int n)
{
    try {
        return call(n);
    } catch (int) {
        return -1;
    }
}
