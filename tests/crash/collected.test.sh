#!/usr/bin/env bash
# Linkers that collect functions which nobody calls (--gc-sections) leave the tables of the others.
set -eu
. "$COTREE_TOP/tests/crash/lib.sh"
[ "$(cat /proc/sys/kernel/core_pattern)" = core ] ||
    { echo "skipped: cores are not written beside the program"; exit 77; }
ulimit -c unlimited
cat >prog.cpp <<'C'
#include <stdlib.h>
volatile int one = 1;
__attribute__((noinline)) void dropped(int n)
{
    if (n & 1)
        one += rand();
    abort();
}
template <typename T> __attribute__((noinline)) T shared(T n)
{
    T sum = 0;
    for (T i = 0; i < n; i++) {
        if (i & 1)
            sum += 2;
        if (i == 3)
            abort();
        rand();
    }
    return sum;
}
void dropped_too(int n)
{
    dropped(n + 1);
    one += shared((short)n);
}
__attribute__((noinline)) static void used(int n)
{
    one = n > 3 ? shared(n) : 2;
    rand();
}
int main()
{
    if (one)
        used(9);
}
C
for linker in bfd gold lld; do
    for options in "" -static "-fcotree-crash=functions" "-g -flto"; do
        # shellcheck disable=SC2086
        "$cotree" c++ -fcotree=crash -O2 -ffunction-sections -fdata-sections -Wl,--gc-sections \
            -fuse-ld=$linker $options prog.cpp -o prog 2>said || fail "$linker $options: $(head -3 said)"
        [ $linker = gold ] || ! nm prog | grep dropped || fail "$linker $options: nothing was collected"
        rm -f core
        { ./prog || :; } 2>/dev/null
        "$cotree" crash --format=json --no-demangle ./prog core >json 2>said || fail "cotree crash: $?"
        [ ! -s said ] || fail "$linker $options: $(cat said)"
        told=$(jq -r '[.threads[0].frames[] | select(.key) | "\(.linkage_name) \(.unique)"] |
            join(", ")' json)
        [ "$told" = "_Z6sharedIiET_S0_ true, _ZL4usedi true, main true" ] || fail "$linker $options: $told"
        if [ "$options" = -fcotree-crash=functions ] && [ $linker != gold ]; then
            jq -e '.never_ran == []' json >/dev/null || fail "$linker: $(jq -c .never_ran json)"
        fi
    done
done
