/* Jumps and exceptions that land in code which is not traced, and those that land in traced code through it.
 */
#include <csetjmp>
#include <cstdio>

extern "C" void jump_back(int value);
extern "C" int call_and_wait(int (*f)(int), int n);
extern "C" int call_and_catch(int (*f)(int), int n);

static int collatz(int n)
{
    int steps = 0;
    for (; n != 1; steps++)
        n = n % 2 ? 3 * n + 1 : n / 2;
    return steps;
}
struct guard {
    int number;
    ~guard()
    {
        number = number > 4 ? collatz(number) : 0;
    }
};
static int jumps(int n)
{
    if (n % 3 == 0)
        jump_back(n);
    return collatz(n + 2);
}
static int jumps_below(int n)
{
    return jumps(n) + (n % 2 ? collatz(n + 1) : 0);
}
static int throws(int n)
{
    if (n % 3 == 0)
        throw n;
    if (n % 7 == 0)
        throw 1.5;
    return collatz(n + 2);
}
static int throws_below(int n)
{
    guard own{n};
    return throws(n) + (n % 2 ? collatz(n + 1) : 0);
}
static int rethrows(int n)
{
    try {
        return throws_below(n);
    } catch (int value) {
        if (value % 2)
            throw;
        return collatz(value + 3);
    }
}
static int nests(int n)
{
    return call_and_catch(rethrows, n) + call_and_wait(jumps_below, n + 1) + collatz(n + 4);
}

static jmp_buf own;
static int leaves(int n)
{
    longjmp(own, n);
}
static int lands(int n)
{
    volatile int times = 0;
    int value = setjmp(own);
    if (value)
        times = times + value;
    return times < 3 ? call_and_wait(leaves, n % 2 + 1) : times;
}

int main()
{
    int sum = 0;
    for (int i = 1; i < 20; i++)
        try {
            sum += call_and_wait(i % 2 ? jumps : jumps_below, i);
            sum += call_and_catch(i % 2 ? throws : throws_below, i);
            if (i % 4 == 0)
                sum += call_and_catch(nests, i) + lands(i);
        } catch (double) {
            sum += collatz(i + 6);
        }
    std::printf("%d\n", sum);
}
