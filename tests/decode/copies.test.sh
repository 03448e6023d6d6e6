#!/usr/bin/env bash
# Copies that cotree_dump made do not count twice beside the run's own file; what was counted before
# a cotree_reset is not lost.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
expect() { [ "$2" = "$3" ] || die "$1: got $2, wanted $3"; }

cat >prog.c <<'C'
#include <cotree.h>
#include <string.h>
void work(void) {}
int main(int argc, char **argv)
{
    for (int i = 0; i < 10; i++)
        work();
    cotree_dump("first.cotree");
    for (int i = 0; i < 20; i++)
        work();
    cotree_dump("second.cotree");
    if (argc > 1)
        cotree_reset();
    for (int i = 0; i < 40; i++)
        work();
    return 0;
}
C
cotree cc -O1 -I"$COTREE_BUILD/include" prog.c -o prog
times() { cotree report --format=json prog "$@" | jq '.functions[] | select(.name == "work") | .entries'; }
./prog
expect "the run" "$(times prog.*.cotree)" 70
expect "a copy alone" "$(times first.cotree)" 10
expect "the copies" "$(times second.cotree first.cotree) $(times first.cotree second.cotree)" "30 30"
expect "all of them" "$(times .) $(times first.cotree prog.*.cotree)" "70 70"
expect "a copy is not exact" "$(cotree report --format=json prog first.cotree | jq .exact)" false
expect "nobody killed it" "$(cotree report --format=json prog first.cotree | jq -c .why_not_exact)" \
    '["the data is a copy that cotree_dump made while the program was running"]'
expect "beside its run it does not matter" "$(cotree report --format=json prog . | jq -c '[.exact, .runs]')" \
    "[true,1]"
cp second.cotree third.cotree
expect "a copy of a copy" "$(times second.cotree third.cotree)" 30
rm -f ./*.cotree
./prog reset
expect "after a reset" "$(times prog.*.cotree)" 40
expect "main returned" "$(cotree report --format=json prog prog.*.cotree | jq -c .why_not_exact)" \
    '["cotree_reset was called: counts begin there, in the middle of functions that were running"]'
expect "before and after a reset" "$(times .)" 70
mkdir other; (cd other && ../prog)
expect "another run" "$(times first.cotree other/first.cotree)" 20

# What runs after a reset, in functions that were active, is not said to have never run.
cat >active.c <<'C'
#include <cotree.h>
volatile int s;
__attribute__((noinline)) static void rounds(int n)
{
    for (int i = 0; i < n; i++) {
        if (i == 4)
            cotree_reset();
        s++; // ran
    }
    s = 4; // ran
}
__attribute__((noinline)) static void never(void) { s = 5; }
int main(int argc, char **argv)
{
    rounds(argc + 8);
    if (argc > 5)
        never();
    s = 1; // ran
    return 0;
}
C
for level in -O0 -O2; do
    cotree cc $level -I"$COTREE_BUILD/include" active.c -o active
    rm -f active.*.cotree
    ./active
    cotree report --format=json active active.*.cotree >active.json
    for line in $(grep -n '// ran' active.c | cut -d: -f1); do
        expect "$level, line $line" \
            "$(jq --arg line "$line" '.files[].lines[] | select(.line == ($line | tonumber)) |
            .count != 0 or .may_have_run == true' active.json)" true
    done
done
