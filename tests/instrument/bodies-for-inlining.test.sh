#!/usr/bin/env bash
# An inline function of C99 and an explicit instantiation are defined in one unit, and may be
# inlined in others, which have a body for that only: all calls are counted, at every level, and
# library functions of the system are left out.
set -eu
. "$COTREE_TOP/tests/lib/instrument.sh"
inline_parity >shared.h
echo 'inline int unused(int x) { return x ? 1 : 2; }' >>shared.h
cat >one.c <<'SOURCE'
#include "shared.h"
extern inline int parity(int x);
extern inline int unused(int x);
int one(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += parity(i);
    return sum;
}
SOURCE
cat >main.c <<'SOURCE'
#include "shared.h"
#include <stdlib.h>
int one(int n);
int main(int argc, char **argv)
{
    int sum = argc > 5 ? unused(atoi(argv[1])) : 0;
    for (int i = 0; i < 20; i++)
        sum += parity(i);
    return sum + one(30) - 25;
}
SOURCE
cat >box.h <<'SOURCE'
template <class T> struct box {
    T value;
    int get(int n)
    {
        int sum = 0;
        for (int i = 0; i < n; i++)
            sum += value;
        return sum;
    }
};
extern template struct box<int>;
SOURCE
printf '#include "box.h"\ntemplate struct box<int>;\nint two(box<int> &b) { return b.get(5); }\n' >two.cpp
cat >cxx.cpp <<'SOURCE'
#include "box.h"
#include <string>
int two(box<int> &b);
int main(int argc, char **argv)
{
    box<int> b{argc};
    std::string name("n");
    name += argv[0];
    return b.get(3) + two(b) - 8 + (name.size() < 2);
}
SOURCE
entries() { jq -c "[.functions[] | select(.name == \"$1\") | .entries]"; }
for level in $levels; do
    rm -f ./*.cotree
    cotree cc $level one.c main.c -o prog
    ./prog
    cotree report --format=json prog ./prog.*.cotree >json
    [ "$(jq .exact json) $(entries parity <json) $(entries unused <json) $(entries atoi <json)" = \
        "true [50] [0] []" ] ||
        fail "$level: parity $(entries parity <json), unused $(entries unused <json)"
    cotree c++ $level two.cpp cxx.cpp -o cxx
    ./cxx
    cotree report --format=json cxx ./cxx.*.cotree >json
    [ "$(jq .exact json) $(jq -c '[.functions[] | select(.linkage_name == "_ZN3boxIiE3getEi") | .entries]' \
        json)" = "true [2]" ] ||
        fail "$level: the instantiation's counts"
    # (functions of the C++ library that its own bodies for inlining call are there from -O1 on)
    jq -r '.functions[].linkage_name' json | grep -vE '^_ZN?K?S|__gnu_cxx' | sort >names$level
    [ "$level" = -O0 ] && continue
    comm -13 names-O0 names$level >new
    [ ! -s new ] || fail "$level: functions that are not there at -O0: $(cat new)"
done

# Where the definition is in a library, the copies that ran are functions of the program.
cotree cc -O2 -fPIC -shared one.c -o libone.so
cotree cc -O2 main.c -L. -Wl,-rpath,"$PWD" -lone -o with
rm -f ./*.cotree
./with
cotree report --format=json with ./with.*.cotree >json
[ "$(entries parity <json | tr -d '[]' | tr , '\n' | sort | tr '\n' ' ')" = "20 30 " ] ||
    fail "with a library: $(entries parity <json)"
