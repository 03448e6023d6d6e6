/* Coroutines are not traced; what they call is, and who resumes them. */
#include "reporter.h"
#include <coroutine>
#include <cstdio>

struct numbers {
    struct promise_type {
        int value;
        numbers get_return_object()
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
        std::suspend_always yield_value(int number)
        {
            value = number;
            return {};
        }
        void return_void() {}
        void unhandled_exception() {}
    };
    std::coroutine_handle<promise_type> handle;
};

static int collatz(int n)
{
    int steps = 0;
    for (; n != 1; steps++)
        n = n % 2 ? 3 * n + 1 : n / 2;
    return steps;
}
static numbers count(int end)
{
    for (int i = 2; i < end; i++)
        if (i % 3)
            co_yield collatz(i);
}

int main()
{
    int sum = 0;
    numbers a = count(20), b = count(30);
    for (int i = 0; i < 10; i++) {
        a.handle.resume();
        b.handle.resume();
        sum += a.handle.promise().value * 3 + b.handle.promise().value;
    }
    for (; !b.handle.done(); sum++)
        b.handle.resume();
    a.handle.destroy();
    b.handle.destroy();
    std::printf("%d\n", sum);
}
