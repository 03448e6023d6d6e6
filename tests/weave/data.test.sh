#!/usr/bin/env bash
# Data of variants belongs together: what groups of paths counted is united, counts of two variants
# do not differ, and data that is read with another variant names the one it is of.
set -eu
. "$COTREE_TOP/tests/lib/weave.sh"
cat >prog.c <<'END'
#include <stdio.h>
#include <stdlib.h>
static int step(int x) { if (x % 2) x = 3 * x + 1; else x /= 2; return x > 100 ? x - 1 : x; }
int main(int argc, char **argv)
{
    int sum = 0, x = argc > 1 ? atoi(argv[1]) : 27;
    for (int i = 0; i < 60; i++) { x = step(x); if (x == 4) x = 27; sum += x; }
    printf("%d\n", sum);
    return 0;
}
END
cotree cc -O2 -fcotree-carry prog.c -o prog
cotree weave prog -fcotree=paths -o prog.paths
cotree weave prog -fcotree=trace -o prog.trace
cotree weave prog -k 3 -fcotree=paths -fcotree-paths=group:%d/3 -o prog.%d
for variant in prog prog.paths prog.trace prog.1 prog.2 prog.3; do
    COTREE_RUN=one COTREE_FILE=$variant.cotree ./$variant >out.$variant
    cmp out.prog out.$variant
    cotree merge -q $variant $variant.cotree -o $variant.merged
done
cotree merge -q --unite prog.[123].merged -o united
counts() {
    cotree report --format=json "$1" |
        jq -c '[.functions[] | {name, paths: [.paths[]? | select(.count > 0) | .count] | sort, blocks: [.blocks[].count]}] | sort_by(.name)'
}
counts united >united.counts
counts prog.paths.merged >paths.counts
grep -q '"paths":\[[0-9]' paths.counts || die "no paths: $(cat paths.counts)"
cmp united.counts paths.counts || die "groups of paths, united: $(diff united.counts paths.counts)"
for variant in prog.paths prog.trace; do
    cotree diff prog.merged $variant.merged --fail-above=0 >differences 2>&1 ||
        die "$variant: $(cat differences)"
done
# Data of a variant is read with the variant, which is found beside the program or where the user says.
lines() { jq -c '[.files[].lines[] | [.line, .count]]'; }
cotree report --format=json prog.trace prog.trace.cotree | lines >by.trace
cotree report --format=json prog prog.trace.cotree 2>message | lines >beside
cmp by.trace beside || die "not read with the variant: $(cat message)"
grep -q "read with './prog.trace'" message || die "the variant is not named: $(cat message)"
cotree trace --list prog.paths prog.trace.cotree >listed 2>message || die "a trace: $(cat message)"
mkdir elsewhere
mv prog.trace elsewhere
! cotree report prog prog.trace.cotree 2>message || die "read with the wrong variant"
grep -q "of 'prog.trace'" message || die "the variant is not named: $(cat message)"
id=$(cotree weave elsewhere/prog.trace --list | sed -n 's/^program\t//p')
grep -q "build $id" message || die "its build is not named: $(cat message)"
for place in elsewhere elsewhere/prog.trace; do
    cotree report --format=json --debug-path=$place prog prog.trace.cotree 2>message | lines >there
    cmp by.trace there || die "--debug-path=$place: $(cat message)"
done
# One build id that the linker was told for all of them: the maps tell that they differ.
cotree cc -O2 -fcotree-carry -Wl,--build-id=0x1234567890abcdef prog.c -o same
cotree weave same -fcotree=paths -o same.paths
for variant in same same.paths; do
    for run in 1 2; do
        COTREE_RUN=$run COTREE_FILE=$variant.$run.cotree ./$variant >out.same
        cotree merge -q $variant $variant.$run.cotree -o $variant.$run.merged
    done
    cotree merge -q $variant.?.merged -o both || die "$variant: two runs of one build are not merged"
done
for order in 'same.1.merged same.paths.1.merged' 'same.paths.1.merged same.1.merged'; do
    rm -f both
    # shellcheck disable=SC2086 # several words
    ! cotree merge $order -o both 2>message && [ ! -e both ] || die "merged: $order"
    grep -q 'another build that has the same build id' message || die "$order: $(cat message)"
done
! cotree merge same same.paths.1.merged -o both 2>message || die "merged with the other program"
# Another program that stands beside it is no variant of it.
sed 's/60/61/' prog.c >other.c
cotree cc -O2 -fcotree-carry other.c -o other
COTREE_FILE=other.cotree ./other >out.other
! cotree report prog other.cotree 2>message || die "data of another program was read"
grep -q "is data of another build" message || die "data of another program: $(cat message)"
