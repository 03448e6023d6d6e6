// Instances of one function are added; of different functions on one line the largest counts.
#include <cstdio>
template <class T> T twice(T x) { return x + x; }
template <class T> struct box {
  T value;
  T get() const {
    return value;
  }
};
struct base { int n = 0; };
struct middle : virtual base {
  middle() {
    n++;
  }
};
struct leaf : middle {};
#define PAIR(name) static int name##_up(int x) { return x + 1; } static int name##_down(int x) { return x - 1; }
PAIR(step)
static int apply(int n) { int sum = 0; for (int i = 0; i < n; i++) sum += [](int x) { return x & 1; }(i); return sum; }
static int seven_times(int n) { return [](int x) { return x * 7; }(n) + [](int x) { return x ? 1 : 2; }(n); }
int main() {
  int n = 0;
  for (int i = 0; i < 10; i++)
    n += twice(i) + (int)twice(i * 0.5) + (int)twice((long)i);
  n += box<int>{1}.get() + box<char>{2}.get();
  middle m;
  leaf l;
  n += step_up(1) + step_up(2) + step_down(3);
  n += apply(5) + seven_times(3);
  std::printf("%d %d\n", n, m.n + l.n);
}
