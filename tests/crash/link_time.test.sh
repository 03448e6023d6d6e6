#!/usr/bin/env bash
# Crash histories of programs that are compiled in the linker (-flto), by all linkers: the judge finds what
# it finds without, code of other units that was inlined there too; and nothing but tables is added.
set -eu
. "$COTREE_TOP/tests/crash/lib.sh"
[ "$(cat /proc/sys/kernel/core_pattern)" = core ] ||
    { echo "skipped: cores are not written beside the program"; exit 77; }
prepare_judge
for options in "-O2 -flto" "-O2 -flto=thin -fuse-ld=lld" "-O0 -flto -fuse-ld=lld" \
    "-O2 -flto -fuse-ld=gold"; do
    unset POINT_FAULTS
    before=$compared
    # shellcheck disable=SC2086
    {
        judge_program "$here/programs/inlined_three_times.c" "${STEP:-401}" $options
        judge_program "$here/programs/exceptions.cpp" "${STEP:-801}" $options
        more_sources=$here/programs/pure_extern.c
        judge_program "$here/programs/sunk_calls.c" "${STEP:-801}" $options
        more_sources=
        export POINT_FAULTS=1
        judge_program "$here/faults/lists.c" "${STEP:-97}" $options
    }
    echo "$options: $compared frames so far, $unique unique, $unknown not known"
    [ "$compared" -gt $((before + 20)) ] || fail "$options: too little was compared"
done
[ $((unique * 10)) -gt $((compared * 7)) ] || fail "too little was told"
# A function of one unit is inlined into another one, and its history is told there.
cat >callee.c <<'C'
#include <signal.h>
int callee(int n)
{
    int r = 1;
    if (n & 1)
        r = 2;
    if (n & 2)
        r += raise(SIGABRT);
    return r;
}
C
cat >caller.c <<'C'
int callee(int);
volatile int three = 3;
int main(void)
{
    int s = 0;
    for (int i = 0; i < 4; i++)
        s += i == three ? callee(i) : i;
    return s;
}
C
ulimit -c unlimited
for options in "-flto" "-flto=thin -fuse-ld=lld"; do
    # shellcheck disable=SC2086
    "$cotree" cc -fcotree=crash -O2 $options callee.c caller.c -o prog
    rm -f core && { ./prog || :; } 2>/dev/null
    "$cotree" crash --format=json ./prog core | jq -e '[.threads[0].frames[] | select(.key)] | length == 2 and
        (.[0] | .function == "callee" and .inlined and .unique and
            ([.history[0].lines[].line] | index(6))) and
        (.[1] | .function == "main" and .unique and .history[1].kind == "last round")' >/dev/null ||
        fail "$options: $("$cotree" crash ./prog core)"
    # shellcheck disable=SC2086
    clang-19 -O2 $options callee.c caller.c -o plain
    cmp -s <(nm plain | awk '{ print $NF }' | sort -u) <(nm prog | awk '{ print $NF }' | sort -u) ||
        fail "$options: symbols differ"
    ! readelf -SW prog | grep 'cotree' | grep -q ' A ' || fail "$options: a section of ours is loaded"
done
# Objects that hold bitcode and machine code tell the same, whichever the linker takes.
for source in callee caller; do
    "$cotree" cc -fcotree=crash -O2 -flto -ffat-lto-objects -c $source.c -o $source.o
done
for options in "" -flto; do
    # shellcheck disable=SC2086
    "$cotree" cc -fcotree=crash -O2 $options callee.o caller.o -o prog
    rm -f core && { ./prog || :; } 2>/dev/null
    "$cotree" crash --format=json ./prog core | jq -e '[.threads[0].frames[] | select(.key)] |
        map(.function) == ["callee", "main"] and all(.[]; .unique)' >/dev/null ||
        fail "fat objects $options: $("$cotree" crash ./prog core)"
done
