#!/usr/bin/env bash
# What bench/papers/placements computes from the counts of all edges is what programs really count:
# for every counter set in one process, for builds with one set alone, and with the weights of an
# earlier run; also where activations are cut short, exceptions fly and code cannot be counted
# everywhere.
set -eu
. "$COTREE_TOP/tests/lib/corpus.sh"
placements=$COTREE_BUILD/bench/papers/placements
clang-${LLVM:-19} -O1 -I"$COTREE_TOP/src" -o increments "$COTREE_TOP/bench/increments.c"
sets=every-edge,edges,blocks,figure-11,knuth,every-block

# build NAME PROGRAM FLAG...: build and run, all data in PROGRAM.data.
build() {
    local name=$1 program=$2
    shift 2
    # shellcheck disable=SC2046
    $(corpus_cotree "$name") -O2 -fcotree-plan=source $(corpus_flags "$name") "$@" $(corpus_units "$name") \
        $corpus_libraries -o "$program"
    mkdir "$program.data"
    corpus_run "./$program" "$program.out" COTREE_FILE="$program.data/%p.cotree"
}
field() {
    awk -F '\t' -v kind="$1" -v name="$2" -v n="$3" '$1 == kind && $2 == name { print $n }' "$name_of_table"
}

for name in switches computed-goto virtual-calls cut-exceptions cut-setjmp; do
    build "$name" all -fcotree=$sets
    build "$name" edges -fcotree=edges
    "$cotree" merge edges edges.data -o edges.merged >merge.log 2>&1
    build "$name" use -fcotree=edges,every-edge -fcotree-use=edges.merged
    name_of_table=table
    "$placements" --check use use.data/*.cotree >table ||
        failed "$name: with the weights of an earlier run: see above"
    if ! "$placements" --check all all.data/*.cotree >table; then
        failed "$name: see above"
    else
        [ "$(grep -c ^built table)" = 6 ] || failed "$name: not all six sets were compared"
        [ "$(field count inexact 3)" = 0 ] || failed "$name: counts are not exact"
        [ "$(field plan every-block 5)" = "$(field built every-block 5)" ] ||
            failed "$name: a counter in every block is planned otherwise"
        [ "$(field plan every-block 5)" -gt "$(field plan edges 5)" ] ||
            failed "$name: a counter in every block is no dearer"
        [ "$(field plan exact 5)" -le "$(field plan edges 5)" ] ||
            failed "$name: measured weights are worse than guessed ones"
        [ "$(field plan exact-min 5)" -ge "$(field plan exact 5)" ] ||
            failed "$name: the lightest tree is better than the heaviest"
        # The counters of main's activations are not part of a placement.
        computed=$(($(field built edges 5) + $(field count balance 3)))
        counted=$(./increments edges.data/*.cotree)
        [ "$computed" = "$counted" ] ||
            failed "$name: edges alone: $computed increments computed, $counted counted"
    fi
    rm -rf all* edges* use* table
done

# It can tell: a program that counted otherwise.
cat >loop.c <<'END'
int main(int argc, char **argv) { int s = 0; (void)argv; for (int i = 0; i < 100; i++) if (i % 3 == argc) s++; return s == 33 ? 0 : 1; }
END
"$cotree" cc -O1 -fcotree=edges loop.c -o without
COTREE_FILE=without.cotree ./without
! "$placements" --check without without.cotree >table 2>message ||
    failed "a program without a counter on every edge was taken"
grep -q "no counter on every edge" message || failed "it said: $(cat message)"
finish
