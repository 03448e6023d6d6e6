#!/usr/bin/env bash
# Traces of programs that a linker compiles (-flto, -flto=thin) know where control stood, as others
# do: children of fork go on in the frames of their parent, and who dies has run the lines up to
# there. Without a table of places (-fcotree-durable with -flto) nobody knows: what may have run is
# no 0.
set -u
cotree=$COTREE_BUILD/cotree
export COTREE_FOLLOWER=off
ulimit -c 0
failures=0
failed() { echo "$*"; failures=1; }
cat >child.c <<'C'
#include <sys/wait.h>
#include <unistd.h>
static volatile int sink;
__attribute__((noinline)) static void in_child(int n)
{
    for (int i = 0; i < n; i++)
        sink++;
    _exit(3);
}
int main(void)
{
    pid_t child = fork();
    if (!child)
        in_child(5);
    waitpid(child, NULL, 0);
    return 0;
}
C
cat >dies.c <<'C'
static char *volatile null;
static volatile int sink;
__attribute__((noinline)) static void last(void)
{
    sink++;
    *null = 1;
    sink++;
}
int main(void)
{
    last();
    return 0;
}
C
for flags in "-O0 -flto" "-O2 -flto -fuse-ld=lld" "-O2 -flto=thin -fuse-ld=lld" "-O2 -flto"; do
    rm -f child.*.cotree* file*
    # shellcheck disable=SC2086
    "$cotree" cc -w $flags -fcotree=trace child.c -o child 2>log ||
        { failed "$flags: $(head -n 2 log)"; continue; }
    COTREE_FILE=child.%p.cotree ./child
    "$cotree" report --format=json child child.*.cotree >json 2>log || failed "$flags: $(head -n 1 log)"
    jq -e '.runs == 2 and .exact and ([.files[].lines[] | select(.line == 7) | .count] == [5])' json \
        >output ||
        failed "$flags, child: $(jq -c '[.exact, .why_not_exact, (.files[].lines[] | [.line, .count])]' json)"
    # shellcheck disable=SC2086
    "$cotree" cc -w $flags -fcotree=trace dies.c -o dies 2>log || failed "$flags: $(head -n 2 log)"
    { COTREE_FILE=file ./dies; } >output 2>&1
    "$cotree" report --format=json dies file >json
    [ "$(jq -c '[.exact, (.files[].lines[] | select(.count > 0) | .line)]' json)" = '[true,3,5,6,9,11]' ] ||
        failed "$flags, dies: $(jq -c '[.exact, (.files[].lines[] | [.line, .count])]' json)"
done
# No table.
rm -f file*
"$cotree" cc -w -O2 -flto -fcotree-durable -fcotree=trace dies.c -o dies 2>log ||
    failed "durable: $(head -n 2 log)"
{ COTREE_FILE=file ./dies; } >output 2>&1
"$cotree" report --format=json dies file >json
jq -e '(.exact | not) and ([.files[].lines[] | select(.line <= 7) | .count] | length > 0 and
    all(. == null))' json >output ||
    failed "no table: $(jq -c '[.exact, (.files[].lines[] | [.line, .count])]' json)"
"$cotree" report --format=lcov dies file 2>log | grep '^DA:[4-7],' &&
    failed "no table: lcov has lines that nobody knows"
exit $failures
