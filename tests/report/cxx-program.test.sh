#!/usr/bin/env bash
# A C++ program: names as people write them, templates added up by line, functions found by name
# without parameters.
set -eu
. "$COTREE_TOP/tests/lib/report.sh"

cat >shapes.cpp <<'C'
#include <cstdio>
namespace geometry {
template <typename T> T largest(T a, T b)
{
    return a < b ? b : a;
}
struct square {
    int side;
    int area() const { return side * side; }
};
}
namespace {
int hidden(int n) { return n + 1; }
}
int main()
{
    geometry::square s{3};
    double d = 0;
    int total = 0;
    for (int i = 0; i < 10; i++) {
        total += geometry::largest(i, s.area());
        d += geometry::largest(1.0 * i, 4.5);
    }
    std::printf("%d %g %d\n", total, d, hidden(total));
}
C
"$cotree" c++ -O2 shapes.cpp -o shapes
./shapes >/dev/null
"$cotree" report ./shapes shapes.*.cotree --format=json >json
jq -r '.functions[] | "\(.entries) \(.name)"' json | LC_ALL=C sort >names
cat >expected <<'E2'
1 (anonymous namespace)::hidden(int)
1 main
10 double geometry::largest<double>(double, double)
10 geometry::square::area() const
10 int geometry::largest<int>(int, int)
E2
diff expected names
[ "$(jq '.files[].lines[] | select(.line == 3) | .count' json)" = 20 ] ||
    die "template instances are not added up"
status 0 "$cotree" report ./shapes shapes.*.cotree --function='geometry::largest<int>'
grep -q 'int geometry::largest<int>(int, int)' out
status 0 "$cotree" report ./shapes shapes.*.cotree --function=geometry::square::area --no-source
[ "$(grep -c shapes.cpp out)" -eq 1 ]
status 0 "$cotree" report ./shapes shapes.*.cotree --no-demangle --no-source
grep -q _ZNK8geometry6square4areaEv out
# Sources that moved are found again.
mkdir moved; mv shapes.cpp moved
status 0 "$cotree" report ./shapes shapes.*.cotree
[ "$(grep -c 'source not found' out)" -eq 1 ] && grep -Eq '^ +20 +3 \|$' out || die "$(cat out)"
status 0 "$cotree" report ./shapes shapes.*.cotree --source-map="$PWD=$PWD/moved"
grep -q 'source not found' out && die "--source-map"
grep -Eq '^ +10 +9 \|     int area\(\) const' out || die "$(cat out)"
"$cotree" report ./shapes shapes.*.cotree --format=lcov --source-map="$PWD=$PWD/moved" -o info
genhtml -q --branch-coverage --demangle-cpp info -o html >log 2>&1 || die "genhtml: $(cat log)"
