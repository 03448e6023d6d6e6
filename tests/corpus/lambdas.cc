// Lambdas, generic ones, ones that recurse, passed through templates and std::function; several on one line.
#include <algorithm>
#include <functional>
#include <stdio.h>
#include <vector>

template <typename F> static int apply(F f, int n)
{
    int r = 0;
    for (int i = 0; i < n; i++)
        r += f(i);
    return r;
}
static std::function<int(int)> compose(std::function<int(int)> f, std::function<int(int)> g)
{
    return [=](int n) { return f(g(n)); };
}

int main()
{
    int calls = 0;
    auto count = [&calls](int n) { calls++; return n > 2 ? n : 0; };
    auto generic = [](auto x) { if (x > 3) return x; return x + x; };
    std::function<int(int)> fact = [&fact](int n) { return n < 2 ? 1 : n * fact(n - 1); };
    int sum = apply(count, 7) + apply([](int n) { return n % 2 ? 1 : -1; }, 5) + apply([&](int n) { return count(n) ? generic(n) : (int)generic(n * 0.5); }, 6);
    std::vector<int> v{5, 3, 8, 1, 9, 2};
    std::sort(v.begin(), v.end(), [](int a, int b) { return a % 4 < b % 4 || (a % 4 == b % 4 && a < b); });
    int place = 0;
    std::for_each(v.begin(), v.end(), [&, factor = 1](int n) mutable { place += n * factor; factor *= 3; });
    int many = (int)std::count_if(v.begin(), v.end(), [](int n) { return n > 2 && n < 9; });
    int (*plain)(int) = [](int n) { return n << 1; };
    printf("%d %d %d %d %d %d\n", sum, calls, place, many, fact(6), compose(plain, fact)(4));
    return 0;
}
