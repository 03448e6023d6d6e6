#!/usr/bin/env bash
# What bench/papers/executed computes for chosen paths is what a program that watches them counts.
set -eu
. "$COTREE_TOP/tests/lib/report.sh"
executed=$COTREE_BUILD/bench/papers/executed
cat >prog.c <<'C'
#include <stdio.h>
__attribute__((noinline)) int few(int i)
{
    int n = 0;
    if (i % 2)
        n++;
    if (i % 7)
        n += 2;
    if (i % 100 == 3)
        n += 4;
    return n;
}
int main(void)
{
    int n = 0;
    for (int i = 0; i < 1000; i++)
        n += few(i);
    printf("%d\n", n);
    return 0;
}
C
"$cotree" cc -O2 -fcotree=paths prog.c -o prog
COTREE_FILE="$PWD/prog.cotree" ./prog >/dev/null
"$cotree" merge -q prog prog.cotree -o merged
"$executed" prog merged >computed
# sum JQ-FILTER: executions of paths in a profile
sum() { "$cotree" report --format=json "$1" | jq '[.functions[].paths[].count] | add'; }
is() { [ "$2" = "$3" ] || die "$1: $2, not $3"; }
is "counts of all paths" "$(awk -F '\t' '$1 == "all" { print $5 }' computed)" "$(sum merged)"
is "paths of all groups" \
    "$(awk -F '\t' '$1 ~ /^group/ && $2 == "all" { sum += $3 } END { print sum }' computed)" \
    "$(awk -F '\t' '$1 == "all" { print $3 }' computed)"
for kind in all pspp compact; do
    "$cotree" cc -O2 -fcotree=paths "-fcotree-paths=hot:90%:merged" -fcotree-path-numbering=$kind prog.c \
        -o hot
    COTREE_FILE="$PWD/hot.$kind.cotree" ./hot >/dev/null
    "$cotree" merge -q hot hot.$kind.cotree -o hot.merged
    is "$kind: hot paths" "$(awk -F '\t' -v kind=$kind '$1 == "hot" && $2 == kind { print $3 }' computed)" \
        "$("$cotree" report --format=json hot.merged | jq '[.functions[].paths_watched] | add')"
    [ "$(sum hot.merged)" -ge $(($(sum merged) * 9 / 10)) ] || die "hot paths are not hot"
done
# few: every execution is counted, whichever numbering; additions are those of chords: less than one
# for each branch that it passes
awk -F '\t' '$1 == "all" && !($4 > 0 && $4 < 3000) { print "probes of all paths: " $4; bad = 1 }
    END { exit bad }' computed || die "$(cat computed)"
