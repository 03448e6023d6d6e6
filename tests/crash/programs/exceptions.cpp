#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>
#include "../point.h"
volatile int k;
__attribute__((noinline)) int use(int x)
{
    point();
    k += x;
    return k;
}
__attribute__((noinline)) int mayThrow(int a)
{
    k += a;
    if (a % 5 == 4)
        throw a;
    if (a % 7 == 3)
        throw std::runtime_error("x");
    return a;
}
struct G {
    int v;
    G(int x) : v(x)
    {
        if (x & 1)
            use(x);
    }
    ~G()
    {
        if (v & 2)
            use(v);
        use(1);
    }
};
__attribute__((noinline)) int f1(int a, int b)
{
    int r = 0;
    if (a & 1)
        r = 1;
    try {
        if (b & 1)
            r += mayThrow(a);
        else
            r += mayThrow(b);
        if (a & 2)
            use(r);
        r += mayThrow(a + b);
    } catch (int e) {
        if (e & 8)
            r += 2;
        use(r);
    } catch (std::exception &e) {
        if (b & 2)
            r += 4;
        use(r);
    }
    if (a & 4)
        r++;
    use(r);
    return r;
}
__attribute__((noinline)) int f2(int a, int b)
{
    int r = 0;
    G g(a);
    if (a & 1)
        r = 1;
    try {
        G h(b);
        if (b & 1)
            r += mayThrow(a);
        G i(r);
        r += mayThrow(a + b);
        for (int j = 0; j < 3; j++) {
            G z(j);
            if (j & a)
                r += mayThrow(j + b);
            use(j);
        }
    } catch (...) {
        if (a & 2)
            r += 2;
        use(r);
        G q(r);
        try {
            mayThrow(r);
            if (r & 1)
                mayThrow(r + 1);
        } catch (...) {
            use(3);
        }
    }
    if (a & 4)
        r++;
    use(r);
    return r;
}
__attribute__((noinline)) int f3(int a, int b)
{
    std::string s;
    std::vector<int> v;
    if (a & 1)
        s = "hello world this is long";
    if (b & 1)
        v.push_back(a);
    for (int i = 0; i < b; i++) {
        if (i & a)
            v.push_back(i);
        if (i & 1)
            s += std::to_string(i);
    }
    if (a & 2)
        use(v.size());
    try {
        if (a & 8)
            mayThrow(b);
        v.at(a);
    } catch (std::out_of_range &) {
        use(9);
    }
    use(s.size());
    return v.size();
}
int main()
{
    int t = 0;
    for (int a = 0; a < 20; a++)
        for (int b = 0; b < 12; b++) {
            try {
                t += f1(a, b);
            } catch (...) {
                t++;
            }
            try {
                t += f2(a, b);
            } catch (...) {
                t += 2;
            }
            try {
                t += f3(a, b);
            } catch (...) {
                t += 3;
            }
        }
    printf("%d\n", t);
}
