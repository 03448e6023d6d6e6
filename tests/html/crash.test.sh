#!/usr/bin/env bash
# The page of a core in a browser: the stack, and of each frame the source with what it ran and the flow
# graph with the way that was gone. What is shown is what JSON says. Nothing is fetched, and nothing from
# a file runs.
set -eu
. "$COTREE_TOP/tests/html/browser.sh"
[ "$(cat /proc/sys/kernel/core_pattern)" = core ] ||
    { echo "skipped: cores are not written beside the program"; exit 77; }
ulimit -c unlimited
hostile='<img src=x onerror="window.owned=1">'
mkdir -p "$hostile"
cat >"$hostile/list.c" <<'C'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int hostile(int n) __asm__("<svg onload=window.owned=1>&amp;\"'");
struct node { int value; struct node *next; };
/* </script><script>window.owned=1</script> */
static int weigh(const struct node *n, int depth)
{
    int sum = depth & 1 ? 1 : 2;
    if (n->value < 0)
        return -1;
    if (n->value % 3 == 0)
        sum += abs(n->value);
    return sum + n->next->value;
}
__attribute__((noinline)) static int walk(const struct node *list, int how)
{
    int total = 0;
    if (how & 2)
        total = puts("two");
    for (const struct node *n = list; n; n = n->next) {
        if (n->value & 1)
            total += weigh(n, how);
        else if (n->value == 4)
            total += raise(SIGABRT);
        else
            total += printf("%d ", n->value);
    }
    return total;
}
int hostile(int n)
{
    return n > 500 ? 1 : walk(NULL, n); // <img src=x onerror=window.owned=1>
}
__attribute__((noinline)) static int down(int n, const struct node *list, int how)
{
    if (n > 0)
        return 1 + down(n - 1, list, how);
    return walk(list, how) + hostile(how);
}
int main(int argc, char **argv)
{
    struct node *list = NULL;
    int depth = argc > 1 ? atoi(argv[1]) : 0;
    for (int i = 0; i < 10; i++) {
        struct node *n = malloc(sizeof *n);
        n->value = i;
        n->next = list;
        list = n;
    }
    return down(depth, list, argc);
}
C
"$cotree" cc -fcotree=crash -O1 -fno-optimize-sibling-calls "$hostile/list.c" -o prog
made() { # NAME WORD...: a core, and what is told of it
    local name=$1
    shift
    rm -f core
    { ./prog "$@" || :; } >/dev/null 2>&1
    [ -e core ] || die "no core"
    "$cotree" crash --format=json ./prog core -o "$name.json"
    "$cotree" crash --format=html ./prog core -o "$name.html"
}
made few 3
made deep 100
mv "$hostile" away
"$cotree" crash --format=html ./prog core -o missing.html
mv away "$hostile"
touch -d '+1 hour' "$hostile/list.c"
"$cotree" crash --format=html ./prog core -o newer.html
in_browser "$COTREE_TOP/tests/html/crash.js" "$PWD"
