#!/usr/bin/env bash
# A process that ends at any instruction in or around loops that are counted before they run
# (vectorised, nested, deleted, inlined) has an exact profile or one that says that it is not: it is
# interrupted at each instruction in turn. Counters on every edge would keep the loops from being
# vectorised, so what is true is known from before and behind them: while the last line has not run,
# no loop has done all of its work, but for the few instructions in between.
set -eu
cotree=$COTREE_BUILD/cotree
stress=$COTREE_TOP/tests/frames/stress
unset COTREE COTREE_RUN
cat >loops.c <<'END'
static int a[64], b[64], c[64];
static volatile int sink;
static inline int total(const int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
__attribute__((noinline)) static void one(int n) {
    sink = 1;
    for (int i = 0; i < n; i++)
        a[i] = b[i] + 3 * c[i]; /* loop */
    sink = 2; /* behind */
}
__attribute__((noinline)) static void two(int n) {
    int s = 0;
    sink = 3;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 4; k++)
            s += a[4 * k + i] ^ i; /* loop */
    sink = s; /* behind */
}
__attribute__((noinline)) static void three(int n) {
    sink = 4;
    for (int i = 0; i < n; i++)
        b[i] = a[i] > 5 ? a[i] - 5 : 0; /* loop */
    sink = total(b, n); /* behind */
}
__attribute__((noinline)) static int four(const int *p, unsigned n, int most) {
    sink = 5;
    do {
        if (*p > most) break; /* loop */
        for (p++; *p < 0; p++);
    } while (--n);
    sink = 6; /* behind */
    return n;
}
__attribute__((noinline)) static void five(const unsigned *p, int n) {
    int s = 0;
    sink = 7;
    for (int i = 0; i < n; i++)
        if (p[i] % 3 && a[p[i]]) s += b[p[i]]; /* loop */
    sink = s; /* behind */
}
int main(void) {
    static int d[64];
    static unsigned e[64] = {1, 4, 2, 3, 7, 5, 3, 8, 1, 6};
    volatile unsigned budget = 24;
    d[13] = 9;
    one(40); two(16); three(48); sink = four(d, budget, 5); five(e, 30);
    printf("%d", sink);
    return 0;
}
END
whole=(40 64 48 14 30)
mapfile -t loops < <(grep -n '/\* loop \*/' loops.c | cut -d: -f1)
mapfile -t behind < <(grep -n '/\* behind \*/' loops.c | cut -d: -f1)
$cotree cc -w -O2 -mno-red-zone -c "$stress/interrupt.c" -o interrupt.o
for flags in -O2 "-O3 -march=x86-64-v3" -Os; do
    # shellcheck disable=SC2086
    $cotree cc -w $flags -include "$stress/quiet.h" -c loops.c -o loops.o
    $cotree cc loops.o interrupt.o -o loops
    steps=$(COTREE=off ./loops count 2000)
    case $flags in -Os) by=${LOOP_STEPS:-7} ;; *) by=${LOOP_STEPS:-3} ;; esac # twice the instructions
    rm -f json.*
    for ((i = 5; i < steps - 20; i += by)); do
        rm -f data
        status=0
        { COTREE_FILE=$PWD/data ./loops _exit "$i" >/dev/null || status=$?; } 2>/dev/null
        [ $status = 3 ] || { echo "$flags: ended with $status at $i"; exit 1; }
        $cotree report --format=json -o "json.$i" loops data
    done
    jq -r '(input_filename | ltrimstr("json.")) as $step |
        (.files[] | select(.file | endswith("loops.c")) | .lines[] | "line \($step) \(.line) \(.count)"),
        (.functions[] | "function \($step) \(.name) \(.exact) \(.max_error // "-")")' json.* >seen
    awk -v flags="$flags" -v by="$by" -v whole="${whole[*]}" -v loops="${loops[*]}" -v behind="${behind[*]}" '
        BEGIN {
            split(whole, w, " ")
            split(loops, l, " ")
            split(behind, b, " ")
            split("one two three four five", name, " ")
        }
        $1 == "line" { count[$2, $3] = $4; steps[$2] = 1 }
        $1 == "function" { exact[$2, $3] = $4; error[$2, $3] = $5 }
        END {
            for (s in steps) for (f = 1; f <= 5; f++) {
                # Of what may have run unseen no count is given.
                ran = count[s, l[f]] == "null" ? 0 : count[s, l[f]]
                done = count[s, b[f]] == "null" ? 0 : count[s, b[f]]
                if (exact[s, name[f]] == "true") {
                    if (done && ran != w[f]) {
                        print flags ": step " s ": " name[f] " is done, its loop ran " ran " times"
                        bad = 1
                    }
                    if (!done && ran == w[f]) early[f]++
                    if (!done && ran && ran != w[f]) {
                        print flags ": step " s ": " name[f] " is in its loop, which is said to have run " ran " times"
                        bad = 1
                    }
                } else {
                    declared[f]++
                    if (error[s, name[f]] == "-" || error[s, name[f]] > 4 * w[f] + 8) {
                        print flags ": step " s ": " name[f] " may be off by " error[s, name[f]]
                        bad = 1
                    }
                    if (ran > w[f] + error[s, name[f]] || done > 1) {
                        print flags ": step " s ": the loop of " name[f] " ran " ran " times"
                        bad = 1
                    }
                }
            }
            for (f = 1; f <= 5; f++) {
                printf "%s: %s: declared at %d steps, %d between loop and end\n", flags, name[f], declared[f],
                    early[f]
                if (early[f] * by > 18 || !declared[f]) bad = 1
            }
            exit bad
        }' seen
done
