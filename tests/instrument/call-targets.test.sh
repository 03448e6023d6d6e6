#!/usr/bin/env bash
# -fcotree=none -fcotree-use=FILE tells LLVM whom calls through pointers lead to: as clang's own
# profile does where functions of a type are called from one place, shared out by what calls by name
# do not account for elsewhere. And the switches in which ways out of a scope meet have weights.
set -eu
. "$COTREE_TOP/tests/lib/instrument.sh"
cat >targets.c <<'END'
#include <stdio.h>
#include <stdlib.h>
typedef long one(long);
typedef long two(long, int);
static long often(long x) { return x ^ 5; }
static long seldom(long x) { return x * 3; }
static long never(long x) { return x * 7; }
static long only(long x, int y) { return x + y; }
static int by_size(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
one *choose(int i) { return i < 0 ? never : i % 10 ? often : seldom; }
two *other(void) { return only; }
long call_one(one *f, long x) { return f(x); }
long call_two(two *f, long x) { return f(x, 1); }
long call_two_too(two *f, long x) { return f(x, 2); }
int main(void)
{
    long s = 0;
    int numbers[50];
    for (int i = 0; i < 1000; i++)
        s += call_one(choose(i), i) + call_two(other(), i);
    for (int i = 0; i < 3000; i++)
        s += call_two_too(other(), i);
    for (int i = 0; i < 5000; i++)
        s += often(i); /* by name */
    for (int i = 0; i < 50; i++)
        numbers[i] = i * 7 % 50;
    qsort(numbers, 50, sizeof *numbers, by_size);
    printf("%ld %d\n", s, numbers[7]);
    return 0;
}
END
cotree cc -O2 targets.c -o counted
COTREE_FILE=run.cotree ./counted >out1
cotree merge -q counted run.cotree -o merged.cotree

# targets FILE: FUNCTION, how often it calls through pointers, and hash and count of each target.
targets() {
    awk '/^define/ { match($0, /@[a-z_]+/); f = substr($0, RSTART + 1, RLENGTH - 1) } / call / &&
        match($0, /!prof ![0-9]+/) { print f, substr($0, RSTART + 6, RLENGTH - 6) }' "$1" |
        while read -r name node; do sed -n "s/^$node = !{!\"VP\", i32 0, \(.*\)}/$name \1/p" "$1" |
        sed 's/i64 //g; s/,//g'; done | sort
}
"$clang" -O1 -fno-inline -fprofile-generate targets.c -o generated
LLVM_PROFILE_FILE=own.profraw ./generated >out2
same out1 out2 "clang's program computes something else"
"llvm-profdata-$llvm" merge own.profraw -o own.profdata
"$clang" -O1 -fno-inline -fprofile-use=own.profdata -mllvm -disable-icp -S -emit-llvm targets.c -o theirs.ll
cotree cc -O1 -fno-inline -fcotree=none -fcotree-use=merged.cotree -mllvm -disable-icp -S -emit-llvm \
    targets.c -o ours.ll
targets theirs.ll >theirs
targets ours.ll >ours
[ "$(wc -l <theirs)" -eq 3 ] ||
    fail "clang's own profile has other targets than this test thinks: $(cat theirs)"
same theirs ours "targets are not those of clang's own profile"

# LLVM calls the likely one directly; and only where it may trust the profile.
cotree cc -O2 -fcotree=none -fcotree-use=merged.cotree -S -emit-llvm targets.c -o used.ll
grep -q 'icmp eq ptr .*@often' used.ll || fail "often is not called directly"
cotree cc -O2 -fcotree-use=merged.cotree -S -emit-llvm targets.c -o both.ll
! grep -q 'icmp eq ptr .*@often' both.ll || fail "calls are made direct in a program with counters"
cotree cc -O2 -fcotree=none -fcotree-use=merged.cotree targets.c -o used
./used >out3
same out1 out3 "the program computes something else"

# Ways out of a scope meet in one block, before the optimiser: 100 times round, of them 9 continue,
# 1 returns, 90 reach the end.
cat >scope.c <<'END'
#include <stdio.h>
void use(int *p) { *p += 1; }
int loop(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        int here = i;
        use(&here);
        if (here == 100)
            return sum;
        if (here % 10 == 0)
            continue;
        sum += here;
    }
    return -1;
}
int main(void) { return printf("%d\n", loop(1000)) < 0; }
END
cotree cc -O2 scope.c -o counted
COTREE_FILE=scope.cotree ./counted >out1
cotree merge -q counted scope.cotree -o scope.merged
cotree cc -O2 -fcotree=none -fcotree-use=scope.merged -mllvm -print-before=inferattrs -c scope.c -o scope.o \
    2>printed.ll
switches=$(sed -nE 's/^ +\], !prof (![0-9]+)$/\1/p' printed.ll |
    while read -r node; do sed -nE "s/^$node = !\{!\"branch_weights\", (.*)\}/\1/p" printed.ll | tr -d 'i,' |
    sed 's/32 //g'; done | tr '\n' ';')
# Of the first: the default is taken by the return, 0 is the end of the scope, the other one
# continues; the second is the end of the loop.
[ "$switches" = "1 90 9;1 0;" ] || fail "weights where the ways meet: '$switches'"
