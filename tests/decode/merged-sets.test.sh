#!/usr/bin/env bash
# Whatever sets a program has, a merged file of its runs says what a report of the runs says, and so
# does a merged file of merged files: counts, paths, and paths that were cut short. The readers have
# ASan and UBSan.
set -u
asan=$COTREE_BUILD/asan/cotree
[ -x "$asan" ] || { echo "no $asan: run make asan"; exit 1; }
export COTREE_FOLLOWER=off
failures=0
fail() { echo "$*"; failures=1; }

cat >prog.c <<'C'
#include <setjmp.h>
#include <stdlib.h>
static volatile int sink;
static jmp_buf back;
__attribute__((noinline)) static void leave(int n)
{
    if (n > 2) {
        sink = 1;
        exit(n);
    }
    if (n == 1)
        longjmp(back, 1);
    sink = 2;
}
int main(int argc, char **argv)
{
    (void)argv;
    if (setjmp(back))
        sink = 3;
    static int i;
    while (i < 4 + argc)
        leave(i++);
}
C
says() {
    jq -c '.exact, (.functions[] | [.name, .entries, .unfinished, .blocks, .paths, .paths_unknown])' "$1"
}
report() { # FILE WHAT...: the report of WHAT goes to FILE
    "$asan" report --format=json -o "$1" "${@:2}" 2>said && [ ! -s said ] ||
        fail "$sets: $2: $(head -n 3 said)"
}
for sets in edges paths trace trace,edges trace,paths edges,paths trace,every-edge; do
    rm -f ./*.cotree* ./*.merged ./*.json
    "$COTREE_BUILD/cotree" cc -O1 -fcotree=$sets prog.c -o prog || exit 1
    for i in 1 2; do COTREE_FILE=$PWD/$i.cotree ./prog; done
    for i in 1 2; do
        "$asan" merge -q ./prog $i.cotree -o $i.merged 2>said || fail "$sets: $(head -n 3 said)"
    done
    "$asan" merge -q 1.merged 2.merged -o both.merged 2>said || fail "$sets: again: $(head -n 3 said)"
    report runs.json ./prog 1.cotree 2.cotree
    report merged.json 1.merged 2.merged
    report again.json both.merged
    for merged in merged again; do
        cmp -s <(says runs.json) <(says $merged.json) ||
            fail "$sets, $merged: $(diff <(says runs.json) <(says $merged.json) | head -n 4)"
    done
    jq -e '[.functions[] | .unfinished] | add > 0' runs.json >/dev/null || fail "$sets: nothing was cut short"
    case $sets in *paths* | trace*)
        jq -e 'any(.functions[] | .paths[]?; .finished == false)' runs.json >/dev/null ||
            fail "$sets: no path was cut short" ;;
    esac
done
exit $failures
