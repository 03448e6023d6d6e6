// Instances of one source line in many functions: line counts are sums over them.
#include <array>
#include <map>
#include <stdio.h>
#include <type_traits>
#include <utility>

template <typename T> static T absolute(T x) { return x < 0 ? -x : x; }
template <typename T, int N> struct stack {
    T items[N];
    int used = 0;
    bool push(T x)
    {
        if (used == N)
            return false;
        items[used++] = x;
        return true;
    }
    T sum() const
    {
        T s{};
        for (int i = 0; i < used; i++)
            s += items[i];
        return s;
    }
};
template <typename... A> static int total(A... a) { return (0 + ... + (int)absolute(a)); }
template <int N> static int unroll(int x)
{
    if constexpr (N == 0)
        return x;
    else if (x % 2)
        return unroll<N - 1>(x + N);
    else
        return unroll<N - 1>(x * 2);
}
template <typename T> static int describe(T)
{
    if (std::is_integral<T>::value)
        return sizeof(T) > 4 ? 1 : 2;
    return 3;
}
template <std::size_t... I> static int spread(const std::array<int, sizeof...(I)> &a, std::index_sequence<I...>)
{
    return ((a[I] > 2 ? a[I] : 0) + ...);
}

int main()
{
    stack<int, 4> si;
    stack<double, 2> sd;
    for (int i = 0; i < 6; i++)
        si.push(i * i) && sd.push(i * 0.5);
    std::map<int, int> m;
    for (int i = 0; i < 20; i++)
        m[i * i % 7] += i;
    int keys = 0;
    for (const auto &[key, value] : m)
        keys += value > 20 ? key : 1;
    printf("%d %.1f %d %d %d\n", si.sum(), sd.sum(), total(-1, 2.5, -3L), unroll<9>(3), keys);
    printf("%d%d%d %d\n", describe(1), describe(1L), describe(1.0), spread({1, 2, 3, 4}, std::make_index_sequence<4>()));
    return 0;
}
