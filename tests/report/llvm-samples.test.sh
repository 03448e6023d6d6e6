#!/usr/bin/env bash
# --format=llvm-samples is what llvm-profdata reads and clang -fprofile-sample-use optimises by.
set -eu
. "$COTREE_TOP/tests/lib/report.sh"
llvm=${LLVM:-19}

cat >prog.c <<'C'
#include <stdio.h>
static int rare(int n)
{
    if (n % 100 == 0)
        return n * 7;
    return n + 1;
}
int never(int n)
{
    return n - 5;
}
int main(int argc, char **argv)
{
    int s = 0;
    for (int i = 0; i < 1000; i++) {
        s += rare(i);
    }
    if (argc > 3)
        s = never(s) + (argv[0] != 0);
    printf("%d\n", s);
    return 0;
}
C
"$cotree" cc -O2 prog.c -o prog
./prog >/dev/null
status 0 "$cotree" report ./prog prog.*.cotree --format=llvm-samples -o samples
[ ! -s err ]
# Worked out by hand: offsets from the function's first line.
"llvm-profdata-$llvm" show --sample --all-functions samples >shown
grep -q '^Function: rare: 4000, 1000, ' shown || die "$(cat shown)"
grep -q '^Function: never: 0, 0, ' shown || die "$(cat shown)"
awk '/^Function: rare:/ { on = 1 } /^}/ { on = 0 } on && /^ *[0-9]+: / { sub(/^ */, ""); print }' shown >found
printf '0: 1000\n2: 1000\n3: 10\n4: 990\n5: 1000\n' >expected
diff expected found || die "$(cat shown)"

# clang takes it: the branch in rare is weighed 10 to 990, entries are known, and the program does the same.
"clang-$llvm" -O2 -fprofile-sample-use=samples -fno-inline -S -emit-llvm prog.c -o prog.ll 2>messages
[ ! -s messages ] || die "$(cat messages)"
number=$(sed -n '/^define.*@rare(/s/.*!prof !\([0-9]*\).*/\1/p' prog.ll)
grep -q "^!$number = !{!\"function_entry_count\", i64 100[01]}" prog.ll ||
    die "no entry count of rare: $(grep function_entry_count prog.ll)"
grep -Eq '^![0-9]+ = !\{!"branch_weights", i32 (11|10), i32 99[01]\}|^![0-9]+ = !\{!"branch_weights", i32 99[01], i32 (11|10)\}' prog.ll || die "$(grep branch_weights prog.ll)"
"clang-$llvm" -O2 -fprofile-sample-use=samples prog.c -o again
[ "$(./again)" = "$(./prog)" ]

# Whatever the names, it can be read.
made m.cotree
status 0 "$cotree" report m.cotree --format=llvm-samples
grep -q 'counts are not exact, which llvm-samples cannot say' err
mv out hostile
"llvm-profdata-$llvm" show --sample --all-functions hostile >shown || die "hostile names"
grep -q '^Function: main: ' shown || die "$(cat shown)"
