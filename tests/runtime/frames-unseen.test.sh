#!/usr/bin/env bash
# A jump that is made without any function (__builtin_longjmp) is declared, in a library too.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"
PATH=$COTREE_BUILD:$PATH
cat >jump.c <<'SOURCE'
static void *target[5];
static volatile int depth;
__attribute__((noinline)) static void deep(int level)
{
    depth++;
    if (level > 0)
        deep(level - 1);
    else
        __builtin_longjmp(target, 1);
    depth--;
}
int jump(void)
{
    if (__builtin_setjmp(target) == 0)
        deep(3);
    return depth - 4;
}
SOURCE
echo 'int jump(void); int main(void) { return jump(); }' >main.c
cotree cc -O1 -fPIC -shared jump.c -o libjump.so
for kind in "jump.c" "-static jump.c" "-L. -ljump -Wl,-rpath,$PWD"; do
    rm -f ./*.cotree
    cotree cc -O1 main.c $kind -o main
    ./main || fail "$kind: status $?"
    expect "$kind" "$(field frames_lost ./*.cotree)" 1
    flag 16384 ./*.cotree || fail "$kind: not flagged"
done
