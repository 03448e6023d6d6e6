#!/usr/bin/env bash
# Crash histories beside counters and traces in one program: the judge finds the same, and counters say
# what they say without crash histories.
set -eu
. "$COTREE_TOP/tests/crash/lib.sh"
[ "$(cat /proc/sys/kernel/core_pattern)" = core ] ||
    { echo "skipped: cores are not written beside the program"; exit 77; }
ulimit -c unlimited
prepare_judge
for SETS in edges,crash crash,paths,edges; do
    unset POINT_FAULTS
    judge_program "$here/programs/inlined_three_times.c" "${STEP:-401}" -O2
    judge_program "$here/programs/exceptions.cpp" "${STEP:-801}" -O2
    export POINT_FAULTS=1
    judge_program "$here/faults/lists.c" "${STEP:-97}" -O2
    echo "$SETS: $compared frames so far, $unique unique, $unknown not known"
done
[ "$compared" -gt 50 ] && [ $((unique * 10)) -gt $((compared * 5)) ] || fail "too little was told"
# What a run counts that ends in a fault, in calls of a library, and well.
cat >a.c <<'END'
#include <stdlib.h>
#include <string.h>
struct node { int v; struct node *next; };
__attribute__((noinline)) int walk(struct node *n, int k)
{
    int s = k & 1 ? 1 : rand();
    for (; n; n = n->next)
        if (n->v & 1)
            s += strlen("odd") > (size_t)k;
        else if (n->v & 2)
            s += abs(k);
        else
            s--;
    if (k == 3)
        abort();
    return s & 1;
}
int main(int argc, char **argv)
{
    struct node *n = NULL, *all = NULL;
    for (int i = 0; i < 9; i++) {
        n = malloc(sizeof *n);
        n->v = i;
        n->next = all;
        all = n;
    }
    if (argc == 2)
        all->next->next->next = (void *)16;
    (void)argv;
    return walk(all, argc);
}
END
counts() { # SETS OPTION: what three runs count
    "$cotree" cc -fcotree="$1" -fno-optimize-sibling-calls "$2" a.c -o "a.$1"
    rm -f ./*.cotree core
    for words in "" 1 "1 2"; do
        # shellcheck disable=SC2086
        { COTREE_FILE=r.%p.cotree "./a.$1" $words || :; } 2>/dev/null
    done
    "$cotree" report --format=json "./a.$1" r.*.cotree |
        jq -S '.functions[] | {name, entries, blocks, edges, lines}'
}
for level in -O0 -O2; do
    for sets in edges paths trace; do
        counts $sets $level >"alone.$sets" || fail "$sets $level"
        counts $sets,crash $level >"together.$sets" || fail "$sets,crash $level"
        [ -s "alone.$sets" ] || fail "$sets $level: nothing is counted"
        cmp -s "alone.$sets" "together.$sets" ||
            fail "$sets $level: $(diff "alone.$sets" "together.$sets" | head -10)"
        "$cotree" crash "./a.$sets,crash" core >text 2>said || fail "$sets $level: status $?"
        [ ! -s said ] || fail "$sets $level: $(cat said)"
        grep -q '^#.* in walk' text && grep -q '^#.* in main' text || fail "$sets $level: $(cat text)"
    done
    # A traced function says where its history is.
    grep -q 'the function is traced' text || fail "traced: $(cat text)"
done
