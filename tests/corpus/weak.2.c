int replaced(int n)
{
    if (n > 3)
        return 10;
    return n == 1 ? 20 : 30;
}
__attribute__((weak)) int kept(int n) { return -n; }
__attribute__((weak)) int both_weak(int n)
{
    for (int i = 0; i < 3; i++)
        n += i;
    return n;
}
int second(int n) { return n > 0 ? kept(n - 1) + both_weak(n) : 0; }
