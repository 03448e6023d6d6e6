// Everything is ready for exceptions and none comes: invokes, landing pads that never run, cleanups on the normal way.
#include <stdio.h>
#include <stdexcept>
#include <string>
#include <vector>

static int alive;
struct counted {
    counted() { alive++; }
    counted(const counted &) { alive++; }
    ~counted() { alive--; }
};
__attribute__((noinline)) static int may_throw(int n)
{
    if (n > 1000)
        throw std::out_of_range("large");
    return n / 2;
}
static int guarded(int n)
{
    counted a;
    try {
        counted b;
        int r = may_throw(n);
        if (r % 2)
            return r;
        counted c(b);
        r += may_throw(r);
        return r;
    } catch (const std::out_of_range &) {
        return -1;
    } catch (...) {
        throw;
    }
}
static int no_throw(int n) noexcept { return may_throw(n) + 1; }
static std::string build(int n)
{
    std::string s;
    for (int i = 0; i < n; i++) {
        std::string part = std::to_string(i);
        if (i % 3 == 1)
            continue;
        s += part + (i % 2 ? "," : ";");
        if (s.size() > 30)
            break;
    }
    return s;
}
static int function_try(int n)
try {
    return may_throw(n) * 2;
} catch (int) {
    return 0;
}

int main()
{
    std::vector<int> v;
    for (int i = 0; i < 20; i++)
        v.push_back(guarded(i * 3) + no_throw(i) + function_try(i));
    int sum = 0;
    for (int x : v)
        sum = sum * 3 % 10007 + x;
    printf("%d %s %s %d\n", sum, build(4).c_str(), build(100).c_str(), alive);
    return 0;
}
