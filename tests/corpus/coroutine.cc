// A coroutine: one function in the source that becomes several in the object: it is not counted, and the report says so.
#include <coroutine>
#include <stdio.h>

struct generator {
    struct promise_type {
        int value;
        generator get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(int v)
        {
            value = v;
            return {};
        }
        void return_void() {}
        void unhandled_exception() {}
    };
    std::coroutine_handle<promise_type> handle;
    ~generator() { handle.destroy(); }
    bool next(int &v)
    {
        handle.resume();
        if (handle.done())
            return false;
        v = handle.promise().value;
        return true;
    }
};
static generator squares(int n)
{
    for (int i = 0; i < n; i++)
        if (i % 3)
            co_yield i *i;
        else
            co_yield -i;
}

int main()
{
    generator g = squares(10);
    int v, sum = 0;
    while (g.next(v))
        sum = sum * 2 + v;
    printf("%d\n", sum);
    return 0;
}
