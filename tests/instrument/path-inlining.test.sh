#!/usr/bin/env bash
# Functions that clang inlines without counters are inlined where paths are counted, too: sums and
# counts do not make them too large for that. Their paths still imply the counts of every edge.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"

# Functions f1, f2, ... have that many branches; each is called twice, so it stays in the program
# unless both calls are inlined.
{
    echo '#include <stdio.h>'
    for n in $(seq 16); do
        echo "static int f$n(int *p, int x) { int s = x;"
        for k in $(seq "$n"); do echo "if (p[$k] > s) { s += p[$((k + 3))]; p[$k]--; }"; done
        echo 'return s; }'
        echo "__attribute__((noinline)) int one$n(int *p) { return f$n(p, p[30]); }"
        echo "__attribute__((noinline)) int two$n(int *p) { return f$n(p, p[31]) * 3; }"
    done
    echo 'int main(void) { static int a[32]; long sum = 0; for (int i = 0; i < 400; i++) { a[i % 32] += i * 7 % 23;'
    for n in $(seq 16); do echo "sum += one$n(a) + two$n(a);"; done
    echo '} printf("%ld\n", sum); return 0; }'
} >prog.c
"$clang" -O2 prog.c -o plain
cotree cc -O2 -fcotree=paths prog.c -o counted
left() { nm "$1" | grep -oE ' t f[0-9]+$' | sort; }
left plain >plain.left
left counted >counted.left
[ "$(wc -l <plain.left)" -ge 2 ] && [ "$(wc -l <plain.left)" -le 14 ] ||
    { echo "clang alone leaves $(wc -l <plain.left) functions: nothing is tried"; exit 1; }
comm -13 plain.left counted.left >more
[ ! -s more ] || { echo "inlined without counters only:"; cat more; exit 1; }

cotree cc -O2 -fcotree=paths,every-edge prog.c -o both
[ "$(COTREE_FILE=$PWD/data ./both)" = "$(./plain)" ]
cotree report --format=json --check-sets both data >json 2>err || { cat err; echo "the sets differ"; exit 1; }
[ "$(jq .exact json)" = true ]

# Beside a counter on every edge, functions that call each other do not grow without end.
{
    echo 'static unsigned f0(unsigned x) { for (unsigned i = 0; i < x; i++) { if (x % 7 == i) return i;'
    echo 'if (x & i) x ^= i * 3; } return x; }'
    for k in $(seq 8); do
        echo "static unsigned f$k(unsigned x) { unsigned s = x; for (unsigned i = 0; i < (x & 7); i++) {"
        echo "if (x & i) s += f$((k - 1))(x + i); else if (x & 4) s ^= 5;"
        echo "if (s > 9 && (s & 2 || x > $k)) s -= f$((k - 1))(s); } return s; }"
    done
    echo 'unsigned run(unsigned x) { return f8(x); }'
} >grow.c
code() { size "$1" | awk 'NR == 2 { print $1 }'; }
cotree cc -O2 -fcotree=edges,every-edge -c grow.c -o edges.o
cotree cc -O2 -fcotree=paths,every-edge -c grow.c -o paths.o
[ "$(code paths.o)" -lt $((3 * $(code edges.o))) ] ||
    { echo "$(code paths.o) bytes of code with paths, $(code edges.o) with edges"; exit 1; }
