#!/usr/bin/env bash
# Every option of `cotree cc` that says what is recorded, or how, is one of `cotree weave`, and gives
# what building with it gives. An option that --help lists and this test does not know fails it.
set -eu
. "$COTREE_TOP/tests/lib/weave.sh"
cat >main.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int step(int);
void cotree_block(unsigned long id, unsigned block) { (void)id, (void)block; }
static int walk(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            sum += k % 3 ? step(k) : i % 7 == 2 ? -k : 1;
    return sum;
}
int main(int argc, char **argv) { printf("%d\n", walk(argc > 1 ? atoi(argv[1]) : 30)); return 0; }
END
echo 'int step(int x) { while (x > 50) x = x & 1 ? x / 3 : x - 7; return x > 9 ? 2 * x : x; }' >step.c
build() { # OUTPUT OPTION...
    local output=$1
    shift
    cotree cc "$@" -O2 main.c step.c -o "$output"
}
build carrying -fcotree-carry
for set in edges paths; do
    cotree weave carrying -fcotree=$set -o prog.$set
    COTREE_FILE=$set.cotree ./prog.$set >out && cotree merge -q prog.$set $set.cotree -o $set.seen
done
cat >options <<'END'
-fcotree=                    -fcotree=blocks,every-block,figure-11,knuth
-fcotree=                    -fcotree=crash
-fcotree-crash=              -fcotree=crash -fcotree-crash=paths:walk -fcotree-crash=functions
-fcotree-crash=              -fcotree=crash -fcotree-crash=tunable -fcotree-crash=history:2:walk
-fcotree=                    -fcotree=edges,trace
-fcotree=none                -fcotree=none
-fcotree                     -fcotree=none -fcotree
-fcotree-files=              -fcotree-files=*step.c
-fcotree-exclude-files=      -fcotree-exclude-files=*step.c
-fcotree-functions=          -fcotree-functions=w*
-fcotree-exclude-functions=  -fcotree-exclude-functions=@names
-fcotree-paths=              -fcotree=paths -fcotree-paths=walk
-fcotree-paths=              -fcotree=paths -fcotree-paths=step#1 -fcotree-paths=through:main.c:10
-fcotree-paths=              -fcotree=paths -fcotree-paths=hot:50:paths.seen
-fcotree-paths=              -fcotree=paths -fcotree-paths=uncovered:paths.seen
-fcotree-paths=              -fcotree=paths -fcotree-paths=group:2/3
-fcotree-trace=              -fcotree=trace -fcotree-trace=addresses
-fcotree-trace=              -fcotree=trace -fcotree-trace=report
-fcotree-use=                -fcotree-use=edges.seen
-fcotree-use=                -fcotree=none -fcotree-use=edges.seen
-fcotree-durable             -fcotree-durable
-fcotree-parts               -fcotree=paths -fcotree-parts
-fcotree-carry               -fcotree-carry
-fcotree-verbose             -fcotree-verbose
-fcotree-plan=               -fcotree-plan=source
-fcotree-placement=          -fcotree-placement=blocks
-fcotree-path-ends=          -fcotree=paths -fcotree-path-ends=back
-fcotree-path-numbering=     -fcotree=paths -fcotree-paths=walk -fcotree-path-numbering=pspp
-fcotree-witness=            -fcotree=trace -fcotree-witness=predicates
END
echo walk >names
cotree cc --help | sed -n 's/^  \(-fcotree[a-z-]*=\{0,1\}\(none\)\{0,1\}\).*/\1/p' | sort -u >listed
[ "$(wc -l <listed)" -gt 15 ] || die "--help lists $(cat listed)"
! comm -3 listed <(sed 's/ .*//' options | sort -u) | grep . || die "--help and this test know other options"
while read -r _ words; do
    # shellcheck disable=SC2086 # several words
    build source $words 2>said || die "$words: cannot be built: $(cat said)"
    # shellcheck disable=SC2086
    cotree weave carrying $words -o woven 2>said </dev/null || die "$words: cannot be woven: $(cat said)"
    same_program woven source || die "$words: woven is not what the source gives"
done <options
! cotree weave carrying -fcotree=edges -fcotree-nonsense -o woven 2>said && grep -q nonsense said
