// A setjmp that is declared so that it may throw: an invoke that returns twice.
#include "truth.h"
#include <cstdio>

extern "C" int _setjmp(void *where);
extern "C" [[noreturn]] void longjmp(void *where, int value);

struct thing {
    ~thing()
    {
        T;
        std::fflush(stdout);
    }
};
static long where[64];

[[gnu::noinline]] static void leave(int value)
{
    T;
    longjmp(where, value);
}

int main()
{
    volatile int rounds = 0;
    thing t;
    int result = _setjmp(where);
    if (result < 5) {
        T;
        rounds = rounds + 1;
        leave(result + 1);
    }
    T;
    std::printf("%d %d\n", result, rounds);
}
