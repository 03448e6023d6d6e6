#!/usr/bin/env bash
# Positions travel in debug locations and are taken out again: what the user asked for with -g has
# no trace of them. Where the code is the same, so is every row of the line table and every entry,
# at any level.
set -eu
. "$COTREE_TOP/tests/lib/instrument.sh"

source=debug.c
cat >$source <<'C'
#include <stdio.h>
#include <stdlib.h>
static int pick(int n) { return n > 2 ? printf("%d\n", n) : putchar('a' + n); }
static int twice(int n)
{
    int sum = pick(n);
    for (int i = 0; i < n; i++)
        sum += pick(i) & 1 ? i : -i;
    return sum;
}
int main(int argc, char **argv)
{
    int sum = twice(argc) + twice(argc + 4);
    if (sum == 12345)
        exit((int)argv[0][0]);
    return sum & 1;
}
C
for flags in "-g -O0" "-g -O1" "-g -O2" "-g1 -O2" "-g -O2 -fPIC" "-g -gdwarf-4 -O3"; do
    # shellcheck disable=SC2086
    cotree cc $flags -c $source -o debug.o
    "llvm-dwarfdump-$llvm" --verify debug.o >verify.txt ||
        fail "$flags: llvm-dwarfdump --verify: $(tail -n 3 verify.txt)"
    "llvm-dwarfdump-$llvm" --debug-line debug.o | awk '/^0x/ && $6 != 0 { n++ } END { exit n > 0 }' ||
        fail "$flags: discriminators of ours in the line table"
    "llvm-dwarfdump-$llvm" --debug-info debug.o | { ! grep -q 'DW_AT_GNU_discriminator'; } ||
        fail "$flags: discriminators of ours in the entries"
done
