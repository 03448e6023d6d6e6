#!/usr/bin/env bash
# Loops that clang vectorises stay vectorised where paths are counted, by every definition of where
# paths end, also when paths lead into them, a sign decides which one it is, or two conditions that
# cannot both hold do; and each path is counted as often as the program says.
set -eu
. "$COTREE_TOP/tests/lib/report.sh"

cat >prog.c <<'C'
#include <stdio.h>
#include <stdlib.h>
unsigned short head[4096];
__attribute__((noinline)) void slide(unsigned more)
{
    if (more > 3)
        head[0]++;
    for (unsigned n = 0; n < 4096; n++) {
        unsigned m = head[n];
        if (m >= 0x8000)
            m -= 0x8000;
        else
            m = 0;
        head[n] = m;
    }
}
__attribute__((noinline)) void clamp(int *a, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        int x = a[i];
        if (x > 255)
            x = 255;
        if (x < 0)
            x = 0;
        a[i] = x;
    }
}
__attribute__((noinline)) void negate(int *a, unsigned long n)
{
    for (unsigned long i = 0; i < n; i++) {
        int x = a[i];
        if (x < 100)
            x = -x;
        a[i] = x;
    }
}
__attribute__((noinline)) int chain(const int *next, int at, int most)
{
    do {
        if (next[at] & 1)
            at++;
    } while ((at = next[at]) > 0 && --most);
    return at;
}
int main(int argc, char **argv)
{
    unsigned large = 0, all = 0, random = 1, above = 0, below = 0, negated = 0;
    static int values[1000];
    static int next[64];
    (void)argc;
    for (int round = 0; round < 50; round++) {
        for (unsigned n = 0; n < 4096; n++) {
            random = random * 1103515245 + 12345;
            head[n] = random >> 16 & 0xfffe; /* one more is of the same sign */
            large += head[n] >= 0x8000;
        }
        all += 4096;
        slide(round % 8);
    }
    for (int i = 0; i < 1000; i++) {
        values[i] = i % 7 * 100 - 200;
        above += values[i] > 255;
        below += values[i] < 0;
    }
    clamp(values, 1000);
    for (int i = 0; i < 1000; i++)
        negated += values[i] < 100;
    negate(values, 1000);
    for (int i = 0; i < 63; i++)
        next[i] = i * 37 % 61;
    int at = chain(next, atoi(argv[1]), 1000);
    printf("%u %u %u %u %u %d\n", large, all - large, above, below, negated, at);
    return 0;
}
C
line_of() { grep -n -F "$1" prog.c | cut -d: -f1; }
# holding LINE: how often paths ran that hold it
holding() {
    jq --argjson line "$1" '[.functions[].paths[] | select(.lines | index($line)) | .count] | add // 0' json
}
for ends in back loops mixed; do
    for flags in "-O2" "-O2 -fPIC" "-O3" "-O0"; do
        rm -rf data && mkdir data
        "$cotree" cc $flags -fcotree=paths -fcotree-path-ends=$ends prog.c -o prog
        COTREE_FILE="$PWD/data/%p.cotree" ./prog 5 >out
        "$cotree" report --format=json --check-sets prog data >json 2>err ||
            { cat err; die "$ends $flags: the sets differ"; }
        [ "$(jq .exact json)" = true ] || die "$ends $flags: not exact"
        counted=$(for code in 'm -= 0x8000' 'm = 0;' 'x = 255' 'x = 0;' 'x = -x'; do
            holding "$(line_of "$code")"
        done | xargs)
        [ "$counted" = "$(cut -d' ' -f1-5 out)" ] ||
            die "$ends $flags: $counted paths, not $(cut -d' ' -f1-5 out)"
        case $flags in -O0) continue ;; esac
        for function in slide clamp negate; do
            objdump -d --disassemble=$function prog | grep -q xmm ||
                die "$ends $flags: the loop of $function is not vectorised"
        done
    done
done

# Where paths end: at the head of a do-while loop by `mixed` and by `loops`, not by `back`.
for ends in back loops mixed; do
    "$cotree" cc -O1 -fcotree=paths -fcotree-path-ends=$ends prog.c -o prog
    COTREE_FILE="$PWD/$ends.cotree" ./prog 5 >/dev/null
    "$cotree" report --format=json prog "$ends.cotree" >json
    jq -r '.functions[] | select(.name == "chain") | .path_total' json >"$ends.chain"
    jq -r '.functions[] | select(.name == "slide") | .path_total' json >"$ends.slide"
done
[ "$(cat back.chain)" -gt "$(cat mixed.chain)" ] && cmp -s mixed.chain loops.chain ||
    die "chain: $(cat {back,loops,mixed}.chain)"
[ "$(cat back.slide)" = "$(cat mixed.slide)" ] && ! cmp -s mixed.slide loops.slide ||
    die "slide: $(cat {back,loops,mixed}.slide)"
