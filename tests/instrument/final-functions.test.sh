#!/usr/bin/env bash
# Functions that are inlined into one share counters: several counts of one stretch are one increment,
# and what follows from flow is not counted. The counts are what counters on every edge say, in
# executables, libraries, with link-time optimisation, where copies in several units are merged, and
# after jumps, exceptions and ends in the middle.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
expect() { [ "$2" = "$3" ] || die "$1: got $2, wanted $3"; }

cat >h.h <<'C'
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
inline int low(int x) { if (x & 1) return 3 * x + 1; return x / 2; }
inline int mid(int x) { if (x > 90) return low(x - 1) + 1; return low(x); }
inline int top(int x) { int s = 0; for (int i = 0; i < x % 9; i++) s += mid(x + i) & 7; return s; }
struct Row {
    int cells[8];
    int at(int i) const { if (i < 0 || i > 7) throw std::out_of_range("at"); return cells[i]; }
};
inline int sum(const Row &r, int upto) { int s = 0; for (int i = 0; i < upto; i++) s += r.at(i); return s; }
int other(int n);
C
cat >a.cpp <<'C'
#include "h.h"
__attribute__((noinline)) int work(int n) { int s = 0; for (int i = 0; i < n; i++) s += top(i) ^ mid(i); return s; }
__attribute__((noinline)) int caught(int n)
{
    Row row = {{1, 2, 3, 4, 5, 6, 7, 8}};
    int s = 0;
    for (int i = 0; i < n; i++) {
        try {
            s += sum(row, i % 12);
        } catch (const std::out_of_range &) {
            s += low(i);
        }
    }
    return s;
}
static jmp_buf back;
__attribute__((noinline)) int jumps(int n) { int s = mid(n); if (n % 3 == 0) longjmp(back, 1); return s + low(n); }
__attribute__((noinline)) int lands(int n)
{
    volatile int s = 0;
    for (volatile int i = 0; i < n; i = i + 1)
        if (!setjmp(back)) s = s + jumps(i); else s = s + 1;
    return s;
}
__attribute__((noinline)) int deep(int n) { if (n == 0) exit(low(7) == 22 ? 0 : 1); int s = deep(n - 1); return s + mid(n); }
int main(int argc, char **)
{
    int s = work(500) + other(300) + caught(200) + lands(40);
    printf("%d\n", s);
    return argc > 1 ? deep(25) : 0;
}
C
cat >b.cpp <<'C'
#include "h.h"
int other(int n) { int s = 0; for (int i = 0; i < n; i++) s += top(i) + low(i); return s; }
C

check() { # NAME ARGUMENT...: every count is what the counters on every edge say
    local name=$1
    shift
    rm -f ./*.cotree
    "./$name" "$@" >out.txt
    expect "$name: output" "$(cat out.txt)" "$(cat plain.txt)"
    cotree report --check-sets "./$name" ./*.cotree >report.txt ||
        die "$name $*: sets differ: $(cat report.txt)"
    grep -q '1 run, exact' report.txt || die "$name $*: not exact: $(head -5 report.txt)"
}
clang++-"${LLVM:-19}" -O2 a.cpp b.cpp -o plain && ./plain >plain.txt
for level in -O1 -O2 -O3 -Os; do
    cotree c++ $level -fcotree=edges,every-edge a.cpp b.cpp -o both
    check both
    check both exit
done
cotree c++ -O2 -fcotree=edges,every-edge -fPIC -shared b.cpp -o libb.so
cotree c++ -O2 -fcotree=edges,every-edge a.cpp ./libb.so -o library
check library exit
cotree c++ -O2 -flto -fuse-ld=lld -fcotree=edges,every-edge a.cpp b.cpp -o linked
check linked exit
cotree c++ -O2 -fcotree-durable -fcotree=edges,every-edge a.cpp b.cpp -o durable
check durable exit

# The counters are fewer than one for each function in each place it is inlined, and `work` has one
# array for all of them. An increment is one instruction, as everywhere.
cotree c++ -O2 a.cpp b.cpp -o shared
cotree c++ -O2 -fcotree=every-edge a.cpp b.cpp -o every
increments() { objdump -d --no-show-raw-insn --disassemble="$2" "$1" | grep -c -E '(incq|addq).*%fs:'; }
few=$(increments shared _Z4worki) many=$(increments every _Z4worki)
[ "$few" -gt 0 ] && [ $((3 * few)) -lt "$many" ] ||
    die "work: $few increments, $many with a counter on every edge"
nm shared | grep -q ' __cotree\.final\._Z4worki$' || die "work has no counters of its own"
# Functions without counters that were inlined take nothing of that away: what runs as often as its
# function has one counter, whatever is called between.
cat >around.cpp <<'C'
#include <cstdio>
volatile int total;
inline int one(int x) { return x + total; }
inline int two(int x) { return x * total; }
__attribute__((noinline)) void between(int x) { total = total + x; if (x == 7) throw x; }
__attribute__((no_profile_instrument_function, always_inline)) inline int uncounted(int x)
{
    total = x;
    if (x & 1) between(x);
    return total;
}
__attribute__((noinline)) int straight(int x)
{
    int s = one(x);
    between(1);
    s += two(s) + uncounted(x);
    between(2);
    return one(s);
}
int main()
{
    int s = 0;
    for (int i = 0; i < 20; i++)
        try { s ^= straight(i); } catch (int) { s++; }
    printf("%d\n", s);
}
C
clang++-"${LLVM:-19}" -O2 around.cpp -o plain && ./plain >plain.txt
cotree c++ -O2 around.cpp -o shared
expect "increments of straight" "$(increments shared _Z8straighti)" 1
cotree c++ -O2 -fcotree=edges,every-edge around.cpp -o around
check around
# Counts that several functions in one loop make in front of it are one addition.
cat >twins.cpp <<'C'
#include <cstdio>
#include <cstdlib>
struct Number { float f; Number operator+(Number o) const { return {f + o.f}; } Number operator*(float s) const { return {f * s}; } };
__attribute__((noinline)) void axpy(Number *x, const Number *y, int n) { for (int i = 0; i < n; i++) x[i] = x[i] + y[i] * 2; }
__attribute__((noinline)) int few(const Number *x, Number at, int n)
{ int k = 0; for (int i = 0; i < n; i++) if (x[i].f > at.f) k += ((x[i] + at) * 2).f > 3; return k; }
int main()
{
    Number x[40], y[40];
    for (int i = 0; i < 40; i++) x[i] = {i * .5f}, y[i] = {float(i % 7)};
    int k = 0;
    for (int n = 0; n < 40; n++) axpy(x, y, n), k += few(x, {float(n)}, n);
    printf("%d\n", k);
}
C
clang++-"${LLVM:-19}" -O2 twins.cpp -o plain && ./plain >plain.txt
cotree c++ -O2 -fcotree=edges,every-edge twins.cpp -o both
check both
cotree c++ -O2 twins.cpp -o twins
additions() { objdump -d --no-show-raw-insn --disassemble="$1" twins | grep -c -E '(inc|add)q?  *.*%fs:'; }
expect "additions of axpy" "$(additions _Z4axpyP6NumberPKS_i)" 2
clang++-"${LLVM:-19}" -O2 a.cpp b.cpp -o plain && ./plain >plain.txt

# The linker keeps one copy of an inline function, and its counters alone.
cat >c.cpp <<'C'
#include "h.h"
int (*volatile pointer)(int) = top;
int extra() { return pointer(5); }
C
cotree c++ -O2 -c c.cpp -o c1.o && sed 's/extra/more/; s/pointer/other_pointer/g' c.cpp >d.cpp &&
    cotree c++ -O2 -c d.cpp -o c2.o
cotree c++ -O2 a.cpp b.cpp c1.o c2.o -o several
expect "arrays of top" "$(nm several | grep -c '__cotree\.final\._Z3topi$')" 1
./several >out.txt && expect "output" "$(cat out.txt)" "$(cat plain.txt)"

# Passes that follow and take code out of functions leave counts right, and the program links.
flags="-O3 -mllvm -hot-cold-split -mllvm -hotcoldsplit-threshold=-1 -fcotree=edges,every-edge"
# shellcheck disable=SC2086
cotree c++ $flags a.cpp b.cpp -o split
check split exit

# Each function counts for itself where that is asked for; another word is refused in one line.
cotree c++ -O2 -fcotree-plan=source -fcotree=edges,every-edge a.cpp b.cpp -o source
check source exit
! nm source | grep -q '__cotree\.final\.' || die "-fcotree-plan=source has counters of final functions"
! cotree c++ -O2 -fcotree-plan=nowhere a.cpp b.cpp -o none 2>message || die "a plan of no name was taken"
expect "what it says" "$(grep -c 'fcotree-plan=nowhere: no such plan (final, source)' message)" 1
