#!/usr/bin/env bash
# Functions that leave nothing out have unique histories at calls, at all levels: in whatever order the
# optimiser leaves the blocks, no claim is lost.
set -eu
. "$COTREE_TOP/tests/crash/lib.sh"
[ "$(cat /proc/sys/kernel/core_pattern)" = core ] ||
    { echo "skipped: cores are not written beside the program"; exit 77; }
ulimit -c unlimited
cat >u.c <<'C'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct node { int value; struct node *next; };
__attribute__((noinline)) static int walk(const struct node *list, int how)
{
    int total = 0;
    if (how & 2)
        total = puts("two");
    for (const struct node *n = list; n; n = n->next) {
        if (n->value & 1)
            total += abs(n->value) + puts("odd");
        else if (n->value == 4)
            total += raise(SIGABRT);
        else
            total += printf("%d ", n->value);
    }
    return total;
}
__attribute__((noinline)) static int down(int n, const struct node *list, int how)
{
    if (n > 0)
        return 1 + down(n - 1, list, how);
    return 2 * walk(list, how);
}
int main(int argc, char **argv)
{
    struct node *list = NULL;
    int depth = argc > 2 ? atoi(argv[2]) : 0;
    for (int i = 0; i < 10; i++) {
        struct node *n = malloc(sizeof *n);
        n->value = i;
        n->next = list;
        list = n;
    }
    if (argc > 1 && !strcmp(argv[1], "break"))
        list->next->value = -1;
    printf("%d\n", down(depth, list, argc));
    return 0;
}
C
broken=$(grep -n 'value = -1' u.c | cut -d: -f1)
for level in -O0 -Og -O1 -O2 -O3 -Os -Oz; do
    for words in "" break "break 5"; do
        "$cotree" cc -fcotree=crash $level -fno-optimize-sibling-calls u.c -o prog
        rm -f core
        # shellcheck disable=SC2086
        { ./prog $words || :; } >/dev/null 2>&1
        "$cotree" crash --format=json ./prog core >json
        jq -e --argjson broken "$broken" --arg words "$words" '
            [.threads[0].frames[] | select(.key)] | length >= 3 and all(.[]; .unique) and
            all(.[] | select(.function == "main");
                ([.history[0].lines[].line] | index($broken) != null) == ($words != ""))' json >/dev/null ||
            fail "$level $words: $(jq -c '.threads[0].frames[] | select(.key) | .candidates' json)"
    done
done
