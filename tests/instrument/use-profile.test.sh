#!/usr/bin/env bash
# An earlier profile moves the counters off the ways that ran; functions that have changed since are
# counted, and listed when asked for.
set -eu
. "$COTREE_TOP/tests/lib/instrument.sh"
cat >weights.c <<'END'
#include <stdio.h>
static int odd_way(int x)
{
    int r = 0;
    for (int i = 0; i < 1000; i++) {
        if (i == x)
            r += 1;
        else
            r += 2;
        if (i != x + 1)
            r ^= 1;
    }
    return r;
}
int changed(int x) { return x > 3 ? x + CHANGE : x; }
int main(void) { printf("%d\n", odd_way(7) + changed(1)); return 0; }
END
cotree cc -O2 -DCHANGE=1 -fcotree=edges weights.c -o before
COTREE_FILE=before.cotree ./before >out1
cotree merge before before.cotree -o merged.cotree
cotree cc -O2 -DCHANGE=1 -fcotree=edges,every-edge -fcotree-use=merged.cotree weights.c -o after 2>messages
[ ! -s messages ] || fail "everything matches, yet: $(cat messages)"
COTREE_FILE=after.cotree ./after >out2
same out1 out2 "the program computes something else"
cotree report --check-sets --format=json after after.cotree >/dev/null || fail "counter sets disagree"

# Executed increments: what the edge counters of the whole program add up to must have become less.
plugin_cc 'sets=edges' -O2 -DCHANGE=1 -c weights.c -o guess.o
plugin_cc 'sets=edges;use=merged.cotree' -O2 -DCHANGE=1 -c weights.c -o used.o
cost() { # the counts of the edges that carry a counter, taken from the run
    map_of "$1" |
        awk '/^function odd_way /{on=1} /^function/ && !/odd_way/{on=0} on &&
            /plan edges/{for(i=3;i<=NF;i++) print substr($i,2)}' >probed
    cotree report --format=json before before.cotree | grep '"linkage_name":"odd_way"' |
        grep -oE '\{"id":[0-9]+,"from":[^}]*\}' |
        sed -E 's/\{"id":([0-9]+),.*"count":([0-9]+).*/\1 \2/' |
        awk 'NR==FNR{p[$1]=1;next} p[$1]{s+=$2} END{print s+0}' probed -
}
guessed=$(cost guess.o) used=$(cost used.o)
[ "$used" -lt "$guessed" ] || fail "increments: $guessed with guessed weights, $used with the profile"

sed -i 's/x > 3 ? x + CHANGE : x/x > 3 ? x + CHANGE : x > 2 ? 1 : x/; s/^int main/int added(int x) { return x; }\nint main/' weights.c
plugin_cc 'sets=edges;use=merged.cotree;verbose=1' -O2 -DCHANGE=1 -c weights.c -o used.o 2>messages
grep -q "weights of 2 functions from 'merged.cotree'; 1 have changed, 1 are not in it" messages ||
    fail "said: $(cat messages)"
grep -q "'changed': its graph is another than in the profile" messages ||
    fail "the changed function is not listed"
grep -q "'added': not in the profile" messages || fail "the added function is not listed"
