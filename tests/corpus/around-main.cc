// Code that runs before main and after it: constructors of globals, priorities, function-local statics, atexit, destructors.
#include <stdio.h>
#include <stdlib.h>

static int order; // sums only: in which order initialisers of one priority run is the compiler's choice
static int note(int n)
{
    if (n % 2)
        order += n * 3;
    else
        order += n;
    return order %= 10007;
}
struct global {
    int n;
    explicit global(int k) : n(k)
    {
        for (int i = 0; i < k; i++)
            note(i);
    }
    ~global()
    {
        while (n-- > 0)
            note(n);
        printf("gone %d\n", order);
    }
};
static global first(3);
global second(first.n + 2);
static int lazy(int n)
{
    static global once(n);
    static const int limit = note(5);
    return once.n + limit + n;
}
thread_local global of_thread(2);
inline int inline_variable = note(8);
template <typename T> struct holder { static int value; };
template <typename T> int holder<T>::value = note(9);
__attribute__((constructor(200))) static void early() { note(1); }
__attribute__((constructor)) static void middle() { note(2); }
__attribute__((destructor)) static void late()
{
    if (note(3) > 5)
        printf("late\n");
}
static void leaving() { printf("leaving %d\n", note(4)); }

int main()
{
    atexit(leaving);
    printf("%d\n", lazy(4) + lazy(6) + (holder<int>::value > 0) + (inline_variable > 0) + of_thread.n);
    return 0;
}
