#!/usr/bin/env bash
# A loop's budget that the program has not set, and does not read, may be read in front of the loop
# when it is counted: counts are right all the same, and MemorySanitizer finds no mistake that is
# not the program's. One that is the program's it still finds.
set -eu
. "$COTREE_TOP/tests/lib/report.sh"
cat >budget.c <<'END'
#include <stdio.h>
#include <stdlib.h>
static int data[64];
__attribute__((noinline)) static int search(const int *is_set, const int *goes_on, const unsigned *limit, const int *p)
{
    unsigned n, r = 0;
    if (*is_set)
        n = *limit;
    do {
        r += 3; /* rounds */
        for (int j = 0; p[j] != 5; j++)
            r += (unsigned)p[j] * 3;
        if (!goes_on[r & 1])
            break;
    } while (--n);
    return (int)r;
}
int main(int argc, char **argv)
{
    unsigned limit = (unsigned)atoi(argv[1]);
    int is_set = atoi(argv[2]), goes_on[2] = {argc > 3, argc > 3};
    data[63] = 5;
    int sum = 0;
    for (int i = 0; i < 10; i++)
        sum += search(&is_set, goes_on, &limit, data);
    printf("%d\n", sum);
    return 0;
}
END
line=$(grep -n '/\* rounds \*/' budget.c | cut -d: -f1)
check() { # ROUNDS ARGUMENTS...: at each level
    local wanted=$1
    shift
    for level in -O1 -O2 -O3 -Os; do
        "$cotree" cc $level budget.c -o budget
        rm -f data.cotree
        COTREE_FILE=data.cotree ./budget "$@" >/dev/null
        "$cotree" report --format=json -o json budget data.cotree
        [ "$(jq -r ".exact, (.files[].lines[] | select(.line == $line) | .count)" json | paste -sd' ')" = \
            "true $wanted" ] ||
            die "$level $*: $(jq -c "[.exact, (.files[].lines[] | select(.line == $line) | .count)]" \
            json), wanted $wanted"
    done
}
check 10 7 0    # nobody has set it; each search leaves in its first round
check 10 7 1
check 70 7 1 on # it is spent
"$cotree" cc -O2 -fsanitize=memory budget.c -o memory
COTREE=off ./memory 7 0 >/dev/null || die "MemorySanitizer finds what plain clang does not"
if COTREE=off ./memory 7 0 on >/dev/null 2>report; then die "MemorySanitizer finds nothing"; fi
grep -q use-of-uninitialized-value report
