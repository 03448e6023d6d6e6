#!/usr/bin/env bash
# An inline function may be compiled with -fPIC in one object and without it in another: the program
# links, and both are counted.
set -eu
. "$COTREE_TOP/tests/lib/instrument.sh"
inline_parity >shared.h
cat >library.cpp <<'SOURCE'
#include "shared.h"
#include <vector>
int library(int n)
{
    std::vector<int> all;
    for (int i = 0; i < n; i++)
        all.push_back(parity(i));
    return (int)all.size();
}
SOURCE
cat >main.cpp <<'SOURCE'
#include "shared.h"
#include <vector>
int library(int);
int main()
{
    std::vector<int> all;
    for (int i = 0; i < 20; i++)
        all.push_back(parity(i));
    return all.size() == 20 && library(11) == 11 ? 0 : 1;
}
SOURCE
for level in -O0 -O2; do
    cotree c++ $level -fPIC -c library.cpp -o library.o
    cotree c++ $level -fPIE -c main.cpp -o main.o
    for order in 'main.o library.o' 'library.o main.o'; do
        rm -f ./*.cotree
        cotree c++ $order -o prog
        ./prog
        cotree report ./prog ./*.cotree --format=json >report.json
        tr -d '\n ' <report.json >report.txt
        grep -q '"exact":true' report.txt || fail "$level, $order: not exact"
        entries=$(sed 's/{"name":/\n&/g' report.txt |
            sed -n 's/^.*"linkage_name":"_Z6parityi".*"entries":\([0-9]*\).*/\1/p')
        [ "$entries" = 31 ] || fail "$level, $order: parity was called 31 times, counted: $entries"
    done
done
