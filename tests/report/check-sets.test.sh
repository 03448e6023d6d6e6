#!/usr/bin/env bash
# --check-sets passes when all counter sets of a program agree, and refuses to pass where there is
# nothing to compare.
set -eu
. "$COTREE_TOP/tests/lib/report.sh"

cat >sum.c <<'C'
int main(int argc, char **argv)
{
    int sum = 0;
    for (int i = 0; i < 100; i++)
        sum += i % 3 ? argc : i;
    return sum == argv[0][0];
}
C
"$cotree" cc -O2 -fcotree=edges,every-edge sum.c -o both
./both
status 0 "$cotree" report --check-sets --no-source ./both both.*.cotree
[ ! -s err ] || die "$(cat err)"
grep -q 'counters: edges,every-edge$' out
"$cotree" graph ./both --function=main --placement=every-edge | grep -q 'every-edge [0-9]* (shown)'
"$cotree" cc -O2 sum.c -o one
./one
refuses 1 "only one counter set, 'edges'" "$cotree" report --check-sets ./one one.*.cotree
