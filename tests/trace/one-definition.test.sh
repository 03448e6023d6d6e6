#!/usr/bin/env bash
# Inline functions that differ between units, against the rule of one definition: the program does
# what the plain one does, and the counts are those of the functions that ran. Of functions that may
# be inlined each traced unit runs its own, and that is said; nothing is said of others.
set -eu
export COTREE_FOLLOWER=off
: "${LLVM:=19}"
cotree=$COTREE_BUILD/cotree
fail() { echo "$*" >&2; exit 1; }
cat >shared.h <<'C'
template <class T> struct scale {
    T by;
    __attribute__((noinline)) T of(T x)
    {
#ifdef EXTRA
        if (x > 5)
            return x + by;
#endif
        return x * by;
    }
};
inline __attribute__((noinline)) int same(int x) { return x & 1 ? x : -x; }
inline __attribute__((noinline)) int chosen(int x)
{
    int sum = 0;
#ifdef EXTRA
    if (x % 3 == 0)
        return 1000;
#endif
    for (int i = 0; i < x % 4; i++)
        sum += same(i);
    return sum;
}
extern int (*volatile pointer)(int);
int other(int);
C
cat >one.cpp <<'C'
#include "shared.h"
#include <stdio.h>
int main()
{
    scale<int> s = {3};
    int sum = 0;
    for (int i = 0; i < 10; i++)
        sum += s.of(i) + same(i) + other(i) + chosen(i) + pointer(i);
    printf("%d\n", sum);
    return 0;
}
C
cat >two.cpp <<'C'
#include "shared.h"
int (*volatile pointer)(int) = chosen;
int other(int x)
{
    scale<int> s = {100};
    return s.of(x) + same(x) + chosen(x);
}
C
# Who runs is told by counters on lines of their own: where a macro adds some the function of unit two ran.
counts() {
    jq -c '[.functions[] | select(.name | test("of|chosen|same")) | select(.entries > 0) |
        [.name, .entries, (.blocks | map(.count))]] | sort' "$1"
}
for order in 'one two' 'two one'; do
    # shellcheck disable=SC2086
    set -- $order
    for level in -O0 -O2; do
        "clang++-$LLVM" $level -c one.cpp -o one.o
        "clang++-$LLVM" $level -DEXTRA -c two.cpp -o two.o
        "clang++-$LLVM" "$1.o" "$2.o" -o plain
        for kind in edges paths trace; do
            what="$kind, $level, $order"
            rm -f ./*.cotree*
            "$cotree" c++ $level -fcotree=$kind -c one.cpp -o one.o
            "$cotree" c++ $level -fcotree=$kind -DEXTRA -c two.cpp -o two.o
            "$cotree" c++ "$1.o" "$2.o" -o prog
            [ "$(./prog)" = "$(./plain)" ] || fail "$what: not what the plain program does"
            "$cotree" report --format=json prog prog.*.cotree >$kind.json 2>said || fail "$what: $(cat said)"
            jq -e .exact $kind.json >/dev/null || fail "$what: $(jq -c .why_not_exact $kind.json)"
            [ ! -s said ] || fail "$what: it says: $(cat said)"
            [ "$(counts $kind.json)" = "$(counts edges.json)" ] ||
                fail "$what: $(counts $kind.json), not $(counts edges.json)"
        done
    done
done
[ "$(counts trace.json | grep -o chosen | wc -l)" = 1 ] ||
    fail "chosen ran in two forms: $(counts trace.json)"
# What may be inlined is the unit's own.
sed 's/__attribute__((noinline))//' shared.h >inlined.h
for unit in one two; do sed 's/shared.h/inlined.h/' $unit.cpp >inlined-$unit.cpp; done
rm -f ./*.cotree*
"$cotree" c++ -O1 -fcotree=trace -c inlined-one.cpp -o one.o
"$cotree" c++ -O1 -fcotree=trace -DEXTRA -c inlined-two.cpp -o two.o
"$cotree" c++ one.o two.o -o prog
./prog >/dev/null
"$cotree" report --format=json prog prog.*.cotree 2>said >/dev/null
grep -q "'scale<int>::of(int)' (.*inlined.h:3) is not the same in all units" said ||
    fail "nothing is said of what may be inlined: $(cat said)"
# The same function at other levels of optimisation is the same.
rm -f ./*.cotree*
"$cotree" c++ -O0 -fcotree=trace -c one.cpp -o one.o
"$cotree" c++ -O2 -fcotree=trace -c two.cpp -o two.o
"$cotree" c++ one.o two.o -o prog
./prog >/dev/null
"$cotree" report --format=json prog prog.*.cotree 2>said >/dev/null
[ ! -s said ] || fail "levels: $(cat said)"
# A library has a body of its own: its calls run that, whatever was linked for the same function of
# the program.
cat >own.h <<'C'
inline __attribute__((noinline)) int body(int x)
{
#ifdef EXTRA
    if (x % 3 == 0)
        return 100;
#endif
    return x & 1 ? x : -x;
}
int a(int), b(int), l(int);
C
for unit in a b l; do printf '#include "own.h"\nint %s(int x) { return body(x); }\n' $unit >$unit.cpp; done
printf '#include "own.h"\nint main() { int s = 0; for (int i = 0; i < 10; i++) s += a(i) + b(i) + l(i); return s == 0; }\n' >m.cpp
rm -f ./*.cotree*
"$cotree" c++ -O1 -fcotree=trace -fPIC -DEXTRA -fvisibility-inlines-hidden -shared l.cpp -o libl.so
"$cotree" c++ -O1 -fcotree=trace -DEXTRA -c b.cpp -o b.o
"$cotree" c++ -O1 -fcotree=trace a.cpp b.o m.cpp ./libl.so -o prog
./prog
"$cotree" report --format=json prog prog.*.cotree >library.json
got=$(jq -c '[.exact, ([.functions[] | select(.name == "body(int)") | select(.entries > 0) |
    [.module, .blocks[].count]] | sort)]' library.json)
[ "$got" = '[true,[[0,20,10,10,20],[1,10,4,6,3,3,6,10]]]' ] ||
    fail "a library: $got, $(jq -c .why_not_exact library.json)"
