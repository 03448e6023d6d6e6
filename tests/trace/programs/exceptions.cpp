// Exceptions through traced frames and others, clean-ups, rethrowing, virtual calls, lambdas, templates.
#include "reporter.h"
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

struct Noisy {
    int n;
    explicit Noisy(int n) : n(n) {}
    ~Noisy()
    {
        if (n == 3)
            std::puts("three");
    }
};
static int thrower(int n)
{
    Noisy noisy(n);
    if (n == 0)
        throw std::runtime_error("zero");
    return thrower(n - 1) + 1;
}
struct Base {
    virtual int f(int x)
    {
        return x > 2 ? x : -x;
    }
    virtual ~Base() {}
};
struct Derived : Base {
    int f(int x) override
    {
        try {
            return thrower(x);
        } catch (int) {
            return 1;
        }
    }
};
int use(Base &b, int n)
{
    try {
        return b.f(n);
    } catch (std::exception &e) {
        std::puts(e.what());
        try {
            throw;
        } catch (...) {
            return -1;
        }
    }
}
static int nested(int n)
{
    try {
        if (n > 0)
            return nested(n - 1);
        throw n;
    } catch (int k) {
        if (n < 3)
            throw k + 1;
        return k;
    }
}
static int from_callback(int n)
{
    if (n > 3)
        throw std::string("too many");
    return n;
}
static int through(int n)
{
    Noisy noisy(n);
    try {
        return call_back(from_callback, n);
    } catch (const std::string &s) {
        return (int)s.size();
    }
}
static int quiet(int n) noexcept
{
    try {
        return nested(n);
    } catch (...) {
        return -7;
    }
}
template <class T> T twice(T t)
{
    return t > T(1) ? t + t : t;
}
struct Throws {
    Throws()
    {
        throw 1;
    }
};
struct Member {
    Noisy a{1};
    Noisy b{3};
    Throws c;
};
static int constructed()
{
    try {
        Member m;
        return 0;
    } catch (int) {
        return 4;
    }
}

int main()
{
    Derived d;
    Base b;
    std::vector<int> v;
    for (int i = 0; i < 12; i++)
        v.push_back(i * 7 % 12);
    std::sort(v.begin(), v.end(), [](int x, int y) { return x < y; });
    std::function<int(int)> f = [&](int x) { return x ? f(x - 1) + v[x] : 0; };
    std::map<std::string, int> names;
    for (int x : v)
        names[std::to_string(x % 5)] += x;
    int caught = 0;
    for (int i = 0; i < 6; i++)
        try {
            caught += v.at(i * 3);
        } catch (const std::out_of_range &) {
            caught -= 100;
        }
    std::printf("%d %d %d %d %d\n", use(d, 5), use(b, 5), f(6), names["3"], caught);
    std::printf("%d %.1f %d %d %d %d %d\n", twice(3), twice(0.5), nested(6), through(2), through(5), quiet(2),
                constructed());
}
