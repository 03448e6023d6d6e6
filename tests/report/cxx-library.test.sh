#!/usr/bin/env bash
# A C++ program that uses the standard library: its own functions and files come first, the
# library's are added up unless asked for, and a reason names functions as people do.
set -eu
. "$COTREE_TOP/tests/lib/report.sh"

cat >words.cpp <<'C'
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
struct words {
    std::map<std::string, int> seen;
    void add(const std::string &w)
    {
        if (w.empty())
            throw std::invalid_argument("empty");
        seen[w]++;
    }
};
int main()
{
    words w;
    for (const char *s : {"a", "b", "a", ""}) {
        try {
            w.add(s);
        } catch (const std::exception &e) {
            std::puts(e.what());
        }
    }
    std::printf("%zu\n", w.seen.size());
}
C
"$cotree" c++ -O1 words.cpp -o words
./words >/dev/null
status 0 "$cotree" report ./words words.*.cotree
grep -q ' words::add(std::string const&) .*words.cpp:7$' out || die "$(cat out)"
grep -Eq '[0-9]+ functions of system headers' out
grep -q ': 1 run, exact$' out || die "$(head -5 out)"
grep -q '^/usr' out && die "a system header is shown"
grep -q 'c++/[0-9]*/bits' out && die "a library function is shown"
# --no-system leaves them out of every sum; asked for, they are shown under their short path.
"$cotree" report ./words words.*.cotree --format=json --no-system >own
jq -e '.files | length == 1' own >/dev/null
[ "$(jq '.functions | length' own)" -lt 10 ]
"$cotree" report ./words words.*.cotree --format=lcov --no-system 2>/dev/null | grep '^SF:' |
    grep -v '/words.cpp$' && die "lcov has system headers"
status 0 "$cotree" report ./words words.*.cotree '--file=/usr/*'
grep -Eq '^/usr/include/c\+\+/[0-9]+/bits/stl_map.h: [0-9]+ of ' out || die "$(head -50 out)"
# The calls of add and puts may throw, which decides nothing: the only branches are the if and the loop.
"$cotree" report ./words words.*.cotree --format=lcov --no-system 2>/dev/null >info
[ "$(grep -c '^BRDA:9,' info)" -eq 2 ] && [ "$(grep -c '^BRDA:21,' info)" -eq 0 ] || die "$(cat info)"
# With system headers too the sums of lcov are ours.
"$cotree" report ./words words.*.cotree --format=lcov -o all.info 2>/dev/null
lcov --rc lcov_branch_coverage=1 --summary all.info >summary 2>&1
"$cotree" report ./words words.*.cotree --no-source >text
for what in lines functions branches; do
    ours=$(sed -nE "s/^$what +[0-9.%]+ +([0-9,]+) of ([0-9,]+) .*/\1 \2/p" text | tr -d ,)
    theirs=$(sed -nE "s/^ *$what\.*: .*\(([0-9]+) of ([0-9]+) .*/\1 \2/p" summary)
    [ -n "$ours" ] && [ "$ours" = "$theirs" ] || die "$what: $ours, lcov says $theirs"
done
genhtml -q --branch-coverage --demangle-cpp all.info -o html >log 2>&1 || die "genhtml: $(cat log)"
