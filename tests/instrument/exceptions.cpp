// Exceptions through cleanups, loops left in every way, templates.
#include <cstdio>
#include <string>
#include <vector>
#include <stdexcept>
struct Guard {
    int &n;
    Guard(int &n) : n(n)
    {
        n++;
    }
    ~Guard()
    {
        n--;
    }
};
static int depth;
__attribute__((noinline)) int risky(int x)
{
    if (x % 7 == 3)
        throw std::runtime_error("three");
    if (x % 11 == 5)
        throw x;
    return x;
}
__attribute__((noinline)) int inner(int x)
{
    Guard g(depth);
    std::string s(x % 5, 'a');
    int r = risky(x);
    if (r > 50)
        return (int)s.size();
    return r + (int)s.size();
}
__attribute__((noinline)) int outer(int x)
{
    int total = 0;
    for (int i = 0; i < x; i++) {
        Guard g(depth);
        std::vector<int> v;
        try {
            if (i == 13)
                continue;
            total += inner(i);
            v.push_back(total);
            if (total > 100000)
                break;
        } catch (const std::exception &e) {
            total += 1;
            if (i > 60)
                return total;
        } catch (int n) {
            total -= n;
        }
        total += (int)v.size();
    }
    return total;
}
template <typename T> T twice(T x)
{
    return x > 10 ? x : x + x;
}
int main()
{
    int r = outer(20) + outer(40) + outer(90) + twice(3) + (int)twice(30.0);
    std::string s = "abc";
    for (char c : s)
        r += c;
    try {
        risky(5);
    } catch (...) {
        r++;
    }
    std::printf("%d %d\n", r, depth);
    return 0;
}
