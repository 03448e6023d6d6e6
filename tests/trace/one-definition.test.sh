#!/usr/bin/env bash
# Inline functions that differ between units, against the rule of one definition: with counters the program does what the plain one does; with a trace each
# unit runs its own, and that is said. Nothing is said of functions that are the same.
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
        sum += s.of(i) + same(i) + other(i);
    printf("%d\n", sum);
    return 0;
}
C
cat >two.cpp <<'C'
#include "shared.h"
int other(int x)
{
    scale<int> s = {100};
    return s.of(x) + same(x);
}
C
for order in 'one two' 'two one'; do
    set -- $order
    "clang++-$LLVM" -O1 -c one.cpp -o one.o
    "clang++-$LLVM" -O1 -DEXTRA -c two.cpp -o two.o
    "clang++-$LLVM" "$1.o" "$2.o" -o plain
    for kind in edges paths trace; do
        rm -f ./*.cotree*
        "$cotree" c++ -O1 -fcotree=$kind -c one.cpp -o one.o
        "$cotree" c++ -O1 -fcotree=$kind -DEXTRA -c two.cpp -o two.o
        "$cotree" c++ "$1.o" "$2.o" -o prog
        ./prog >out
        [ $kind = trace ] || [ "$(cat out)" = "$(./plain)" ] || fail "$kind, $order: $(cat out), not $(./plain)"
        "$cotree" report --format=json prog prog.*.cotree 2>said | jq -e .exact >/dev/null || fail "$kind, $order: not exact"
        grep -v "'scale<int>::of(int)' (.*shared.h:3) is not the same in all units" said >others || :
        [ ! -s others ] || fail "$kind, $order: $(cat others)"
        [ "$(wc -l <said)" = $([ $kind = trace ] && echo 1 || echo 0) ] || fail "$kind, $order: it says: $(cat said)"
    done
done
# The same function at other levels of optimisation is the same.
rm -f ./*.cotree*
"$cotree" c++ -O0 -fcotree=trace -c one.cpp -o one.o
"$cotree" c++ -O2 -fcotree=trace -c two.cpp -o two.o
"$cotree" c++ one.o two.o -o prog
./prog >/dev/null
"$cotree" report --format=json prog prog.*.cotree 2>said >/dev/null
[ ! -s said ] || fail "levels: $(cat said)"
