#!/usr/bin/env bash
# Edges on which nothing can stand: landing pads that several calls share, labels that are reached
# by computed gotos and otherwise. Paths tell them apart.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"

cat >prog.cc <<'C'
#include <cstdio>
static volatile int limit = 3;
__attribute__((noinline)) int first(int i)
{
    if (i % 10 < limit)
        throw i;
    return i;
}
__attribute__((noinline)) int second(int i)
{
    if (i % 10 >= 5)
        throw i;
    return i;
}
__attribute__((noinline)) int both(int i)
{
    int sum = 0;
    try {
        sum += first(i);
        sum += second(i);
    } catch (int caught) {
        sum += caught;
    }
    return sum;
}
__attribute__((noinline)) int labels(int i)
{
    static void *const where[] = {&&one, &&two};
    int sum = i;
    if (i % 5 == 0)
        goto two;
    goto *where[i % 2];
one:
    sum++;
    if (i % 3)
        goto *where[1];
two:
    sum += 2;
    return sum;
}
int main()
{
    int sum = 0;
    for (int i = 0; i < 100; i++)
        sum += both(i) + labels(i);
    std::printf("%d\n", sum);
}
C
# with FUNCTION TEXT: executions of the function's paths that begin with it and run the line with this text
with() { jq --arg f "$1" --argjson line "$(grep -nF -- "$2" prog.cc | head -n 1 | cut -d: -f1)" \
    '[.functions[] | select(.linkage_name | contains($f)) | .paths[] | select(.from_entry and any(.lines[]; . == $line)).count] | add // 0' json; }
is() { [ "$2" = "$3" ] || die "$flags: $1 is $2, not $3"; }
for flags in -O0 -O2 "-O1 -fPIC" "-O2 -fcotree-path-ends=loops"; do
    rm -rf data && mkdir data
    cotree c++ $flags -w -fcotree=edges,every-edge,paths prog.cc -o prog
    COTREE_FILE="$PWD/data/%p.cotree" ./prog >out
    cotree report --format=json --check-sets prog data >json 2>err ||
        { cat err; die "$flags: the sets differ"; }
    [ "$(jq -r '[.functions[] | select(.linkage_name | test("both|labels")) | .exact] | all' json)" = true \
        ] || die "$flags: not exact"
    # 30 of 100 throw in the first call, 50 in the second
    is "paths of both to the second call" "$(with both 'sum += second(i)')" 70
    is "paths of both that end at the landing pad" \
        "$(jq '[.functions[] | select(.linkage_name | contains("both")) | .paths[] |
            select(.from_entry and .next != null).count] | add' json)" 80
    is "paths of labels" "$(jq \
        '[.functions[] | select(.linkage_name | contains("labels")) | .paths[] |
            select(.from_entry).count] | add' json)" 100
done
