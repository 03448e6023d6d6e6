#!/usr/bin/env bash
# A program that exits in a call of main which the optimiser has merged with others: it is not known where
# main stands, but that it was left there is. What main holds is in doubt, within bounds; nothing else is.
set -eu
cotree=$COTREE_BUILD/cotree
fail() { echo "$*" >&2; exit 1; }
cat >strings.cpp <<'C'
#include <string>
static volatile unsigned long out;
int main(int, char **argv)
{
    for (int i = 0; i < 4; i++) {
        std::string a(argv[0]), b(argv[1]);
        a += b;
        if (i % 3 == 1) {
            std::string c = a.substr(1, 20 + i);
            out = c.size();
            continue;
        }
        try {
            std::string d = a + "and more of it that is not short";
            out = d.at(i > 2 ? 1000 : 3);
        } catch (const std::exception &) {
            std::string e(b, 1);
            out = e.size();
        }
    }
    return 0;
}
C
cat >delete.cpp <<'C'
#include <cstdlib>
#include <new>
static int left = -1;
static void release(void *at)
{
    if (left < 0)
        left = atoi(getenv("LAST"));
    if (!--left)
        exit(3);
    free(at);
}
void operator delete(void *at) noexcept { release(at); }
void operator delete(void *at, std::size_t) noexcept { release(at); }
C
"clang++-${LLVM:-19}" -O1 -c delete.cpp -o delete.o
text=a-text-that-is-longer-than-what-a-string-holds
declared=0 runs=0
for level in -O1 -O2 -Os; do
    "$cotree" c++ -w "$level" -fcotree=edges,every-edge strings.cpp delete.o -o prog
    for last in 1 2 3 4 5 6 7 8 9 10 11 12; do
        rm -f data
        status=0
        LAST=$last COTREE_FILE=data ./prog $text $text || status=$?
        [ $status = 3 ] || fail "$level, $last: status $status"
        "$cotree" report --check-sets --format=json -o json prog data 2>messages ||
            fail "$level, $last: $(head -n 3 messages)"
        jq -c '[.why_not_exact[] | select(startswith("a function was left for ever at a place") | not)] +
            [.functions[] | select((.exact | not) and .max_error == null) | .name]' json >wrong
        [ "$(cat wrong)" = "[]" ] || fail "$level, $last: $(cat wrong)"
        runs=$((runs + 1)) declared=$((declared + $(jq '.exact | not | if . then 1 else 0 end' json)))
    done
done
[ $declared -gt $((runs / 4)) ] || fail "only $declared of $runs runs ended in merged calls"
