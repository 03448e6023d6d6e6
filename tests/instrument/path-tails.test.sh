#!/usr/bin/env bash
# Counts of paths whose slots are known on the ways to them: no increment in these loops computes an
# address. All functions run, and their paths imply the counts of a counter on every edge.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
cat >prog.c <<'C'
#include <stdio.h>
static unsigned short chain[4096];
static unsigned char text[8192], skipped[256];
static int values[256];

/* A short way round the loop, which gets a copy of the loop's end; what `&&` counts ahead and takes back. */
__attribute__((noinline)) int longest(unsigned at, int best, unsigned limit, unsigned steps, const unsigned char *scan)
{
    do {
        const unsigned char *match = text + at;
        if (match[best] != scan[best] || match[best - 1] != scan[best - 1] || *match != *scan)
            continue;
        best++;
        if (best > 60)
            break;
    } while ((at = chain[at & 4095]) > limit && --steps != 0);
    return best;
}

/* Two ways that meet before the count. */
__attribute__((noinline)) int add(const unsigned char *p, int n, int sum)
{
    for (; n > 0; p++, n--)
        if (!skipped[*p])
            sum += values[*p];
    return sum;
}

/* Ways that meet, and meet others, before the count. */
__attribute__((noinline)) int *sweep(int *cell, int n, int *list)
{
    for (; n > 0; cell++, n--) {
        if (*cell < 0) {
            *cell &= 0x7fff;
        } else {
            if (*cell != 0)
                *cell = *list;
            (*list)++;
            list = cell;
        }
    }
    return list;
}

__attribute__((noinline)) void touch(int *cell)
{
    *cell = -*cell;
}
/* The counter is known on the way that is taken mostly; on the other one a call stands behind where
 * ways have met. */
__attribute__((noinline)) int visit(int *cell, int n)
{
    int sum = 0;
    for (; n > 0; cell++, n--) {
        if (__builtin_expect(*cell > 1, 0)) {
            if (cell[1] & 1)
                touch(cell);
            touch(cell + 1);
        }
        sum += *cell;
    }
    return sum;
}

int main(void)
{
    long sum = 0;
    int cells[500];
    for (unsigned i = 0; i < 8192; i++)
        text[i] = (unsigned char)((i * 7919u >> 5) % 11);
    for (unsigned i = 0; i < 4096; i++)
        chain[i] = (unsigned short)(i > 1 ? i - 1 - (i % 3 == 0) : 0);
    for (int i = 0; i < 256; i++) {
        skipped[i] = i % 3 == 0;
        values[i] = i * i;
    }
    for (unsigned i = 300; i < 4096; i += 50)
        sum += longest(i, 3, i > 3000 ? i - 3000 : 0, 500, text + i) + add(text + i, (int)i % 90, 1);
    for (int i = 0; i < 500; i++)
        cells[i] = i * 7919 % 5 - 2;
    sum += sweep(cells + 1, 499, cells) - cells;
    for (int i = 0; i < 500; i++)
        cells[i] = i * 7919 % 5 - 2;
    sum += visit(cells, 300);
    printf("%ld\n", sum);
    return 0;
}
C
for ends in back loops mixed; do
    cotree cc -O2 -fcotree=paths,every-edge -fcotree-path-ends=$ends prog.c -o prog
    COTREE_FILE=$PWD/data ./prog >"$ends.out"
    cotree report --format=json --check-sets prog data >json 2>err ||
        { cat err; echo "$ends: the sets differ"; exit 1; }
    [ "$(jq .exact json)" = true ] || { echo "$ends: not exact"; exit 1; }
    rm data
done
"$clang" -O2 prog.c -o plain && ./plain >plain.out
cmp plain.out back.out && cmp plain.out loops.out && cmp plain.out mixed.out

# Loops are what jumps back enclose.
cotree cc -O2 -fcotree=paths -fcotree-path-ends=mixed prog.c -o prog
objdump -d --no-show-raw-insn prog | awk '
    /^[0-9a-f]+ <.*>:$/ { sweep = $2 == "<sweep>:"; on = $2 ~ /^<(longest|add|sweep)>:$/; next }
    sweep && /inc.*%fs:.*\(/ { print "sweep computes an address: " $0; wrong = 1 }
    on && /^ / { sub(/:/, "", $1); at[++n] = $1; number[$1] = n; text[n] = $0; if ($2 ~ /^j/) { to[n] = $3 } }
    END {
        for (i = 1; i <= n; i++)
            if (i in to && to[i] in number && number[to[i]] <= i)
                for (k = number[to[i]]; k <= i; k++) {
                    loops += k == i
                    inside[k] = text[k] ~ /inc.*%fs:/
                    if (text[k] ~ /(inc|add).*%fs:.*\(/) { print "computes its address: " text[k]; wrong = 1 }
                }
        for (k in inside) counts += inside[k]
        if (loops < 4 || counts < 5)
            { print loops + 0 " loops with " counts + 0 " counts were looked at"; wrong = 1 }
        exit wrong
    }'
# Computed addresses come after calls; no jump leads to where one is used.
objdump -d --no-show-raw-insn --disassemble=visit prog | awk '
    $2 ~ /^(call|j)/ { last = $2 }
    /inc.*%fs:.*\(/ { computed++; if (last != "call") { print "visit computes an address: " $0; wrong = 1 } }
    END {
        if (!computed) { print "visit has no count after the call"; wrong = 1 }
        exit wrong
    }'
