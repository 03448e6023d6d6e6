// Templates and inline functions that both units instantiate; the linker keeps one of each.
#include <stdio.h>
template <typename T> T largest(const T *p, int n)
{
    T best = p[0];
    for (int i = 1; i < n; i++)
        if (best < p[i])
            best = p[i];
    return best;
}
inline int counted(int n)
{
    static int calls;
    if (n < 0)
        return calls;
    return ++calls * n;
}
template <int N> struct power {
    static int of(int x) { return N == 0 ? 1 : x * power<N - 1>::of(x); }
};
template <> struct power<0> {
    static int of(int) { return 1; }
};
struct shape {
    virtual ~shape() {}
    virtual int area() const { return 0; }
    int twice() const { return area() * 2; }
};
struct box : shape {
    int w, h;
    box(int a, int b) : w(a), h(b)
    {
        if (w < 0)
            w = -w;
    }
    int area() const override { return w * h; }
};
inline auto adder(int n)
{
    return [n](int m) { return m > 3 ? m + n : m - n; };
}
int second(int n);
