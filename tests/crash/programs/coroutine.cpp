#include <coroutine>
#include <cstdio>
#include "../point.h"
volatile int k;
__attribute__((noinline)) int use(int x)
{
    point();
    k += x;
    return k;
}
struct gen {
    struct promise_type {
        int v;
        gen get_return_object()
        {
            return {std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        std::suspend_always initial_suspend()
        {
            return {};
        }
        std::suspend_always final_suspend() noexcept
        {
            return {};
        }
        std::suspend_always yield_value(int x)
        {
            v = x;
            return {};
        }
        void return_void() {}
        void unhandled_exception() {}
    };
    std::coroutine_handle<promise_type> h;
};
gen g(int a)
{
    int r = 0;
    if (a & 1)
        r = 1;
    if (a & 2)
        r += use(1);
    co_yield r;
    use(r);
    if (a & 4)
        r += 3;
    co_yield r;
    use(r);
    for (int i = 0; i < 3; i++) {
        if (i & a)
            r++;
        co_yield i;
        use(r);
    }
}
int main()
{
    int t = 0;
    for (int a = 0; a < 8; a++) {
        auto x = g(a);
        while (!x.h.done()) {
            x.h.resume();
            t += x.h.promise().v;
        }
        x.h.destroy();
    }
    printf("%d\n", t);
}
