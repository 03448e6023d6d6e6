#!/usr/bin/env bash
# One instruction reaches the counter of a path, also where LLVM has made values of branches and takes
# one of them away from the counter's number: no increment needs the thread's base in a register. The
# paths imply the counts of a counter on every edge.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
cat >prog.c <<'C'
#include <stdio.h>
static int values[1000];

__attribute__((noinline)) void clamp(int *a, int n, int low, int high)
{
    for (int i = 0; i < n; i++) {
        int x = a[i];
        if (x < low)
            x = low;
        if (x > high)
            x = high;
        a[i] = x;
    }
}

__attribute__((noinline)) int sides(const int *a, int n, int low, int high)
{
    int inside = 0;
    for (int i = 0; i < n; i++) {
        if (a[i] == low)
            inside += 3;
        if (a[i] < high)
            inside ^= 5;
        if (a[i] & 2)
            inside++;
    }
    return inside;
}

int main(void)
{
    for (int i = 0; i < 1000; i++)
        values[i] = (i * 7919 >> 3) % 500;
    int sum = sides(values, 1000, 30, 300);
    clamp(values, 1000, 100, 400);
    for (int i = 0; i < 1000; i++)
        sum += values[i];
    printf("%d\n", sum);
    return 0;
}
C
for level in -O1 -O2 -O3; do
    cotree cc $level -fcotree=paths -S prog.c -o prog.s
    [ "$(grep -c 'incq.*%fs:.*(' prog.s)" -ge 2 ] || die "$level: no path is counted by a number"
    ! grep -n 'mov.*%fs:0' prog.s || die "$level: an increment needs the thread's base"
    cotree cc $level -fcotree=paths,every-edge prog.c -o prog
    rm -f data
    [ "$(COTREE_FILE=data ./prog)" = "$("$clang" $level prog.c -o plain && ./plain)" ] ||
        die "$level: another result"
    cotree report --format=json --check-sets prog data >json || die "$level: the sets differ"
    jq -e '.exact' json >/dev/null || die "$level: not exact"
done
