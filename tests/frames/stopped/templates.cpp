/* Templates that are inlined many times, with calls of the C++ library between them: several functions end and
 * begin between two events of a trace, and code that is not counted stands in the place of calls. */
#include <cstdio>
#include <iterator>
#include <map>
#include <queue>
#include <sstream>
#include <string>
#include <vector>

struct point {
    long x, y;
    point(long x, long y) : x(x), y(y) {}
};
static volatile long out = 5000;
static volatile double factor = 1.25;
static unsigned seed = 1;

static inline long rounded(double value)
{
    return value < 0 ? static_cast<long>(value - 0.5) : static_cast<long>(value + 0.5);
}
__attribute__((noinline)) static std::vector<point> polygon(int corners, unsigned long most)
{
    std::vector<point> path;
    for (int i = 0; i < corners; i++) {
        seed = seed * 1103515245 + 12345;
        const unsigned long x = seed >> 16;
        seed = seed * 1103515245 + 12345;
        path.push_back(point(x % most, (seed >> 16) % most)); /* 64 bits are divided in two ways */
    }
    return path;
}
__attribute__((noinline)) static void grow(std::vector<point> &to, const std::vector<point> &path)
{
    for (size_t i = 0; i < path.size(); i++) {
        double by = i % 3 ? factor : -factor;
        to.push_back(point(rounded(path[i].x + by * path[i].y), rounded(path[i].y - by)));
    }
}

template <typename T> struct stack {
    std::vector<T> items;
    T *top()
    {
        if (items.empty())
            __builtin_trap();
        return &items.back();
    }
};
struct level {
    bool in_array, has_key;
    unsigned values;
};
struct writer {
    stack<level> levels;
    std::string text;
    void begin(bool array)
    {
        levels.items.push_back({array, false, 0});
        text.push_back(array ? '[' : '{');
    }
    __attribute__((noinline)) bool end(bool array)
    {
        if (levels.top()->in_array != array || levels.top()->has_key)
            return false;
        bool empty = levels.top()->values == 0;
        levels.items.pop_back();
        if (!empty)
            text.push_back('\n');
        text.push_back(array ? ']' : '}');
        return !levels.items.empty() && ++levels.top()->values;
    }
};

static void work_once()
{
    std::vector<point> path = polygon(9, out), grown;
    std::priority_queue<long> queue;
    std::map<long, int> seen;
    grow(grown, path);
    for (const point &p : grown) {
        queue.push(p.x);
        seen[p.y & 7]++;
    }
    std::istringstream in("a text");
    const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    writer w;
    w.begin(false);
    w.begin(true);
    w.end(true);
    w.end(false);
    out = queue.top() + static_cast<long>(seen.size() + text.size() + w.text.size());
}
int main()
{
    work_once();
    out = 70000;
    work_once();
    return 0;
}
