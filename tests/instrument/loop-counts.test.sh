#!/usr/bin/env bash
# Counts leave loops: one that iterates a number of times known at its start, or no more often than
# that, executes no counter, and what clang vectorises without counters it vectorises with them.
# Counters that others are judged by stay, and so do all with -fcotree-durable.
set -eu
. "$COTREE_TOP/tests/lib/instrument.sh"
cat >loops.c <<'END'
void simple(int *a, const int *b, int n) { for (int i = 0; i < n; i++) a[i] = b[i] + 1; }
long sum(const long *a, unsigned n) { long s = 0; for (unsigned i = 0; i < n; i++) s += a[i]; return s; }
void backwards(short *a, int n) { do { a[--n] ^= 5; } while (n); }
float nested(float (*a)[64], int n) { float s = 0; for (int i = 0; i < n; i++) for (int k = 0; k < 64; k++) s = s * a[i][k] + 1; return s; }
END
# A counter inside a loop is one between a label that is jumped back to and that jump, unless
# nothing but a return comes after it.
inside() { # FILE: counters inside loops
    awk '/^[a-z_]+:/ { n = straight = 0; name = $1 } /^\.L[A-Z0-9_]+:/ { label[$1] = ++n; straight = n }
        /__cotree\./ && $1 ~ /^(incq|addq)$/ { at[++n] = $0 }
        $1 ~ /^j/ && ($2 ":") in label { for (i = label[$2 ":"]; i <= n; i++) if (i in at)
            { print name, at[i]; delete at[i] } }
        $1 ~ /^j/ { straight = n }
        $1 ~ /^ret/ { for (i = straight + 1; i <= n; i++) delete at[i] }
        /^\.Lfunc_end/ { split("", label); split("", at) }' "$1"
}
for level in -O1 -O2 -O3 -Os; do
    plugin_cc sets=edges $level -fPIE -S loops.c -o edges.s
    grep -Eq '(incq|addq).*__cotree' edges.s || fail "$level: no counters"
    inside edges.s >found
    [ ! -s found ] || fail "$level: counters inside loops: $(cat found)"
    for other in sets=every-edge 'sets=edges;durable=1'; do
        plugin_cc "$other" $level -fPIE -S loops.c -o other.s
        [ "$(inside other.s | wc -l)" -ge 4 ] ||
            fail "$level: $other: only $(inside other.s | wc -l) counters are inside loops"
    done
done

# What clang vectorises without counters, conditions in the loop or not.
cat >>loops.c <<'END'
int few(const int *a, int n) { int k = 0; for (int i = 0; i < n; i++) if (a[i] < 9) k++; return k; }
void cut(unsigned short *a, unsigned n) { for (unsigned i = 0; i < n; i++) { unsigned m = a[i]; a[i] = m >= 512 ? m - 512 : 0; } }
void lower_upper(float (*a)[128], int n) {
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) { float t = a[i][k] /= a[k][k]; for (int j = k + 1; j < n; j++) a[i][j] -= t * a[k][j]; }
}
END
vectorised() { grep -o '[a-z]*\.c:[0-9]*:[0-9]*: remark: vectorized loop' "$1" | sort; }
for level in -O2 -O3; do
    "$clang" $level -Rpass=loop-vectorize -c loops.c -o plain.o 2>plain.remarks
    "$clang" $level -fplugin="$plugin" -fpass-plugin="$plugin" -fno-discard-value-names -Xclang -mllvm \
        -Xclang -cotree-options=sets=edges \
        -Rpass=loop-vectorize -c loops.c -o edges.o 2>edges.remarks
    vectorised plain.remarks >plain.loops
    vectorised edges.remarks >edges.loops
    [ "$(wc -l <plain.loops)" -ge 6 ] || fail "$level: clang vectorises only $(wc -l <plain.loops) loops"
    same plain.loops edges.loops "$level: other loops are vectorised than without counters"
done

# Where clang does not, for want of what the last iteration computed, a variable would only be more work.
cat >chain.c <<'END'
void subtract(signed char *a, const signed char *b, int n)
{
    for (int borrow = 0; n-- > 0;) {
        int value = *a - *b-- - borrow;
        if (value < 0) { value += 10; borrow = 1; } else borrow = 0;
        *a-- = (signed char)value;
    }
}
END
plugin_cc sets=edges -O2 -fPIE -S chain.c -o chain.s
[ "$(inside chain.s | wc -l)" -ge 1 ] || fail "a loop that is not vectorised counts in a variable"

# So does a sum of floating point numbers, which must be added in the order of the program.
cat >order.c <<'END'
double order(const double *a, int n) { double s = 0; for (int i = 0; i < n; i++) if (a[i] < 9) s += a[i]; return s; }
END
plugin_cc sets=edges -O2 -fPIE -S order.c -o order.s
[ "$(inside order.s | wc -l)" -ge 1 ] || fail "a loop that adds in order counts in a variable"

# Of a loop with a budget and the loop inside it only the latter keeps a counter.
cat >budget.c <<'END'
int budget(const int *a, unsigned n) { do { if (*a == 7) break; for (a++; *a < 0; a++); } while (--n); return *a; }
END
for level in -O1 -O2 -O3 -Os; do
    plugin_cc sets=edges $level -fPIE -S budget.c -o budget.s
    inside budget.s >found
    [ "$(wc -l <found)" -eq 1 ] || fail "$level: counters inside a loop with a budget: $(cat found)"
    plugin_cc 'sets=edges;durable=1' $level -fPIE -S budget.c -o budget.s
    [ "$(inside budget.s | wc -l)" -eq 2 ] ||
        fail "$level: counts of a loop with a budget are moved with durable=1"
done

# With -flto counts leave loops, too: where clang vectorises, which is in lld with -flto=thin.
head -n 2 loops.c >linked.c
cat >main.c <<'END'
extern void simple(int *, const int *, int);
extern long sum(const long *, unsigned);
int main(int argc, char **argv)
{
    int a[9] = {0};
    long b[] = {1, 2};
    (void)argv;
    simple(a, a, argc);
    return (int)sum(b, (unsigned)argc) > 9;
}
END
for kind in full thin; do
    for unit in linked main; do
        "$COTREE_BUILD/cotree" cc -O2 -fno-inline "-flto=$kind" -c $unit.c -o $unit.o
    done
    "$COTREE_BUILD/cotree" cc -O2 "-flto=$kind" -fuse-ld=lld linked.o main.o -o linked -Wl,--lto-emit-asm
    cat linked*.s >linked.assembly
    grep -Eq '(incq|addq).*__cotree' linked.assembly || fail "-flto=$kind: no counters"
    inside linked.assembly >found
    [ ! -s found ] || fail "-flto=$kind: counters inside loops: $(cat found)"
    rm linked*.s
done

# A number of rounds that no instruction can hold is counted all the same.
cat >long.c <<'END'
#include <stdio.h>
static unsigned long sum(void)
{
    unsigned long s = 0;
    for (unsigned long i = 0; i < 1ul << 33; i++)
        s += i * 3;
    return s;
}
int main(void) { return printf("%lu\n", sum()) < 2; }
END
for how in -O1 -O2 "-O2 -fPIC" "-O2 -fcotree=paths" "-O2 -fcotree-plan=source"; do
    # shellcheck disable=SC2086
    "$COTREE_BUILD/cotree" cc $how long.c -o long || fail "$how: a loop of 2^33 rounds does not build"
    COTREE_FILE=data.cotree ./long >/dev/null
    "$COTREE_BUILD/cotree" report --format=json -o json long data.cotree
    got=$(jq '.exact, (.files[].lines[] | select(.line == 6).count)' json | tr '\n' ' ')
    [ "$got" = "true 8589934592 " ] || fail "$how: a loop of 2^33 rounds counts $got"
    rm data.cotree
done
