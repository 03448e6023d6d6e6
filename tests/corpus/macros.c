/* Macros with control flow in them; lines that come from elsewhere. */
#include <stdio.h>

#define SWAP(a, b) do { int t = (a); (a) = (b); (b) = t; } while (0)
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define FOREACH(i, n) for (int i = 0; i < (n); i++)
#define CHECK(x)                                                                                                       \
    do {                                                                                                               \
        if (!(x)) {                                                                                                    \
            failures++;                                                                                                \
            if (failures > 3)                                                                                          \
                goto too_many;                                                                                         \
        }                                                                                                              \
    } while (0)
#define STATES X(start) X(middle) X(end)
#define X(name) case name: visits[name]++; state = next(state, input); break;
enum state { start, middle, end };

static enum state next(enum state s, int input) { return input & 1 ? (s + 1) % 3 : s; }

static int machine(int n)
{
    int visits[3] = {0};
    enum state state = start;
    FOREACH(input, n)
    {
        switch (state) { STATES }
    }
    return visits[0] * 100 + visits[1] * 10 + visits[2];
}

static int check(int n)
{
    int failures = 0;
    FOREACH(i, n) CHECK(i % 4);
    CHECK(n > 5);
    return failures;
too_many:
    return -failures;
}

#line 100 "elsewhere.y"
static int elsewhere(int n)
{
    if (n > 3)
        return n * 2;
#line 50 "elsewhere.y"
    return n;
}
#line 52 "macros.c"

int main(void)
{
    int a = 3, b = 9;
    FOREACH(i, 5) { SWAP(a, b); a += MAX(a, b) - MAX(b - a, a - b); }
    printf("%d %d %d %d %d\n", a, b, machine(20), check(6), check(30));
    printf("%d %d\n", elsewhere(2), elsewhere(4));
    return 0;
}
