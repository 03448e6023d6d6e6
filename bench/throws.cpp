// Throws in a hot loop that are caught so many frames up: throws CASE DEPTH TIMES (bench/throws.sh).
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace
{
volatile int sink;
struct thing {
    int was;
    thing() : was(sink) {}
    ~thing()
    {
        sink = was + 1;
    }
};
struct wanted {
    int value;
};
struct other {
    int value;
};

[[gnu::noinline]] int plainly(int depth, int n)
{
    if (depth <= 1) {
        if (n % 8 != 7)
            throw wanted{n};
        return n;
    }
    int r = plainly(depth - 1, n);
    sink = r;
    return r + 1;
}
[[gnu::noinline]] int cleaning(int depth, int n)
{
    thing t;
    if (depth <= 1) {
        if (n % 8 != 7)
            throw wanted{n};
        return n;
    }
    int r = cleaning(depth - 1, n);
    sink = r;
    return r + 1;
}
// Catches something else on the way.
[[gnu::noinline]] int refusing(int depth, int n)
{
    if (depth <= 1) {
        if (n % 8 != 7)
            throw wanted{n};
        return n;
    }
    try {
        int r = refusing(depth - 1, n);
        sink = r;
        return r + 1;
    } catch (const other &o) {
        return o.value;
    }
}
// Catches and throws again.
[[gnu::noinline]] int rethrowing(int depth, int n)
{
    if (depth <= 1) {
        if (n % 8 != 7)
            throw wanted{n};
        return n;
    }
    try {
        int r = rethrowing(depth - 1, n);
        sink = r;
        return r + 1;
    } catch (const wanted &w) {
        sink = w.value;
        throw;
    }
}
// Clean-ups of the library: strings.
[[gnu::noinline]] int building(int depth, int n)
{
    std::string text(40, 'x');
    if (depth <= 1) {
        if (n % 8 != 7)
            throw wanted{n};
        return n;
    }
    std::string more = text + std::to_string(depth);
    int r = building(depth - 1, n);
    sink = r;
    return r + (int)more.size();
}
// As parsers do it: small functions, inlined, that throw.
inline int digit(const char *&at)
{
    if (*at < '0' || *at > '9')
        throw wanted{*at};
    return *at++ - '0';
}
inline int number(const char *&at)
{
    int value = digit(at);
    while (*at && *at != ',')
        value = 10 * value + digit(at);
    return value;
}
[[gnu::noinline]] int list(const char *at)
{
    int sum = 0;
    for (;;) {
        sum += number(at);
        if (!*at++)
            return sum;
    }
}
[[gnu::noinline]] int parsing(int depth, int n)
{
    static const char *const texts[] = {"12,5,77", "1,x", "9,9,9,9", ",", "13,z5"};
    thing t;
    return depth <= 1 ? list(texts[n % 5]) : parsing(depth - 1, n) + 1;
}

int work(int (*f)(int, int), int depth, int times)
{
    int caught = 0;
    for (int i = 0; i < times; i++)
        try {
            caught += f(depth, i) & 1;
        } catch (const wanted &w) {
            caught += w.value % 3;
        }
    return caught;
}
} // namespace

int main(int count, char **arguments)
{
    if (count != 4)
        return 2;
    static const struct {
        const char *name;
        int (*f)(int, int);
    } cases[] = {{"plainly", plainly},       {"cleaning", cleaning}, {"refusing", refusing},
                 {"rethrowing", rethrowing}, {"building", building}, {"parsing", parsing}};
    for (const auto &c : cases)
        if (!std::strcmp(c.name, arguments[1]))
            std::printf("%d\n", work(c.f, std::atoi(arguments[2]), std::atoi(arguments[3])));
}
