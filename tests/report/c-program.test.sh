#!/usr/bin/env bash
# From source to report, a C program at -O0 and -O2: the counts beside the source are those a reader
# works out by hand.
set -eu
. "$COTREE_TOP/tests/lib/report.sh"

cat >sum.c <<'C'
#include <stdio.h>

static int odd(int n)
{
    if (n % 2)
        return 1;
    return 0;
}

static int unused(void)
{
    return 7;
}

int main(int argc, char **argv)
{
    int sum = 0;
    for (int i = 0; i < 1000; i++) {
        if (odd(i))
            sum += i;
    }
    if (argc > 5)
        sum = unused();
    printf("%d %s\n", sum, argv[0] ? "" : "?");
    return 0;
}
C
# Number, count: as gcov would show them, worked out by hand.
cat >expected <<'E2'
3 1000
5 1000
6 500
7 500
8 1000
10 0
12 0
15 1
17 1
18 1001
19 1000
20 500
21 1000
22 1
23 0
24 1
25 1
E2
for level in -O0 -O2; do
    rm -f ./*.cotree
    "$cotree" cc $level sum.c -o sum
    ./sum >/dev/null
    status 0 "$cotree" report ./sum sum.*.cotree
    [ ! -s err ] || die "chatter: $(cat err)"
    head -1 out | grep -qx './sum: 1 run, exact' || die "$(head -3 out)"
    grep -Eq '^ +1,000? ' out || die "no counts: $(cat out)"
    "$cotree" report ./sum sum.*.cotree --format=json >json
    jq -r '.files[] | select(.file | endswith("/sum.c")) | .lines[] | "\(.line) \(.count)"' json >lines
    diff expected lines || die "$level: line counts differ"
    jq -e '.exact and .runs == 1 and ([.functions[].exact] | all)' json >/dev/null
    [ "$(jq -r '.functions[] | "\(.name) \(.entries)"' json | sort | tr '\n' ' ')" = \
        "main 1 odd 1000 unused 0 " ]
    grep -Eq '^ +##### +12 \|     return 7;$' out || die "$(cat out)"
    grep -Eq '^ +500\*? +20 \|             sum \+= i;$' out || die "$(cat out)"
    grep -Eq '^ +1\* +22 \|     if \(argc > 5\)$' out || die "$(cat out)"
    # Two runs are twice the counts, and a merged file says the same without the program.
    ./sum >/dev/null
    "$cotree" merge ./sum sum.*.cotree -o merged
    "$cotree" report ./sum sum.*.cotree --format=json >two
    "$cotree" report merged --format=json >from_merged
    jq -S 'del(.program, .modules[].path)' two >a; jq -S 'del(.program, .modules[].path)' from_merged >b
    cmp a b
    [ "$(jq -r '.functions[] | select(.name == "odd") | .entries' two)" = 2000 ]
    # The sums are lcov's, and genhtml draws it.
    "$cotree" report ./sum sum.*.cotree --format=lcov -o info
    genhtml -q --branch-coverage info -o html >log 2>&1 || die "genhtml: $(cat log)"
    lcov --rc lcov_branch_coverage=1 --summary info 2>&1 | grep -q 'functions.*66.7% (2 of 3' ||
        die "$(lcov --summary info 2>&1)"
    # The graph, planned and counted.
    "$cotree" graph ./sum --function=odd >planned
    grep -q '\[0\]' planned
    "$cotree" graph ./sum sum.*.cotree --function=odd >counted
    grep -Eq '^ +2,000  block 0' counted || die "$(cat counted)"
done
status 2 "$cotree" report ./sum /dev/null
grep -q "skipped ./dev/null." err
