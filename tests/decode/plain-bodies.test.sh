#!/usr/bin/env bash
# The linker keeps one body of an inline function for all units. Where that is the body of a unit
# without counters, the function is declared, since nothing counts its calls; where a counted body
# was kept, or all calls were inlined, it is exact.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
cat >h.h <<'SOURCE'
#define HERE __attribute__((noinline))
template <class T> HERE T chosen(T i) { if (i > 3) return 1; return 2; }
inline HERE int called(int i) { if (i > 3) return 1; return 2; }
inline __attribute__((always_inline)) int inlined(int i) { return i > 3 ? 1 : 2; }
struct shape { virtual int area(int i) { if (i > 3) return 1; return 2; } };
inline HERE int last(int i) { if (i > 3) return 1; return 2; }
SOURCE
cat >plain.cpp <<'SOURCE'
#include "h.h"
shape *make() { return new shape; }
int never(int i) { return chosen(i) + called(i) + inlined(i) + make()->area(i) + last(i); }
SOURCE
cat >main.cpp <<'SOURCE'
#include "h.h"
__attribute__((noinline)) int tail(int i) { return last(i + 1); }
__attribute__((noinline)) int use(shape *s, int i) { return s->area(i); }
int main()
{
    int sum = 0;
    shape *s = new shape;
    for (int i = 0; i < 10; i++)
        sum += chosen(i) + called(i) + inlined(i) + use(s, i) + tail(i);
    return sum == 69 ? 0 : 1;
}
SOURCE
# judge PROGRAM NAMES: the functions that are declared, by name, in order.
judge() {
    rm -f ./*.cotree
    "./$1" || { echo "$1 ended with $?"; exit 1; }
    "$COTREE_BUILD/cotree" report --format=json -o got.json "$1" "$1".*.cotree
    got=$(jq -r '[.functions[] | select(.exact | not) | .demangled // .name | sub("\\(.*"; "") |
        sub("^int "; "")] | sort | join(" ")' got.json)
    [ "$got" = "$2" ] || { echo "$1: declared are '$got', not '$2'"; exit 1; }
    [ "$(jq .exact got.json)" = "$([ -z "$2" ] && echo true || echo false)" ] ||
        { echo "$1: the whole says something else than its functions"; exit 1; }
}
for level in -O0 -O2; do
    all="called chosen<int> last shape::area"
    [ $level = -O2 ] || all="$all shape::shape" # inlined otherwise
    for set in edges paths; do
        cotree c++ "$level" -fcotree=$set -c main.cpp -o main.o
        clang++-"$LLVM" "$level" -c plain.cpp -o plain.o
        cotree c++ "$level" -fcotree=$set -c plain.cpp -o counted.o
        cotree c++ plain.o main.o -o plain-first
        judge plain-first "$all"
        cotree c++ main.o plain.o -o counted-first
        judge counted-first ""
        cotree c++ counted.o main.o -o all-counted
        judge all-counted ""
    done
done
# Another level makes another record of the same function, and one body serves both.
cotree c++ -O0 -c plain.cpp -o counted.o
cotree c++ counted.o main.o -o two-levels
judge two-levels ""
# Without a symbol table what is called is known from the code.
strip -o stripped plain-first
judge stripped "called chosen<int> last"
# Lines that may have run are not called lines that did not.
judge plain-first "$all"
"$COTREE_BUILD/cotree" report plain-first plain-first.*.cotree >text
grep -q '^ *? *3 | inline HERE int called' text || { cat text; exit 1; }

# A library that the loader binds to the body of another library.
echo '#include "h.h"
int first(int i) { return called(i); }' >first.cpp
echo '#include "h.h"
int second() { int sum = 0; for (int i = 0; i < 10; i++) sum += called(i); return sum; }' >second.cpp
echo 'int first(int), second(); int main(int c, char **) { if (c > 5) first(c); return second() != 14; }' \
    >both.cpp
clang++-"$LLVM" -O2 -fPIC -shared first.cpp -o libfirst.so
cotree c++ -O2 -fPIC -shared second.cpp -o libsecond.so
cotree c++ -O2 both.cpp ./libfirst.so ./libsecond.so -o bound
judge bound "called"
cotree c++ -O2 both.cpp ./libsecond.so ./libfirst.so -o bound
judge bound ""

# C: the definition of an inline function is in a unit without counters.
echo 'inline int twice(int i) { if (i > 3) return 2 * i; return i + i; }' >c99.h
printf '#include "c99.h"\nextern inline int twice(int i);\n' >defines.c
printf '#include "c99.h"\nint main(void) { int sum = 0; for (int i = 0; i < 10; i++) sum += twice(i); return sum != 90; }\n' >uses.c
cotree cc -O0 -c uses.c -o uses.o
clang-"$LLVM" -O0 -c defines.c -o defines.o
cotree cc uses.o defines.o -o c99
judge c99 ""
# Where it was inlined its copies are counted, but not what a pointer calls.
sed -i 's/int sum = 0;/int (*volatile p)(int) = twice; int sum = p(0);/' uses.c
cotree cc -O2 -c uses.c -o uses.o
cotree cc uses.o defines.o -o c99
judge c99 "twice"
