// Closing braces that only a passing exception would reach, arrays, and bodies of destructors that clang makes.
#include <cstdlib>
struct guard {
  int n;
  guard(int m = 1) : n(m) {
    total += n; }
  virtual ~guard() {
    total -= n; }
  static int total;
};
int guard::total;
__attribute__((noinline)) int work(int n) {
  if (n > 100)
    throw n;
  return n + 1;
}
[[noreturn]] void leave(int n) {
  guard g;
  exit(work(n) - 5);
}
int several(int n) {
  guard list[7];
  for (guard &g : list)
    n += g.n;
  guard *heap = new guard;
  delete heap;
  return work(n);
}
int caught(int n) {
  try {
    guard g(n);
    return work(n);
  } catch (int m) {
    return m;
  }
}
int main() {
  several(1);
  several(2);
  caught(1);
  leave(4);
}
