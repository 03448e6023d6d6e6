#!/usr/bin/env bash
# A thousand processes count into one pool (COTREE_FILE=...%m...), up to a hundred at once, and a
# tenth of them is killed with SIGKILL when its work is
# done: no run and no count may be lost. Prints the numbers; fails when one is wrong. `bench/pool.sh
# [PROCESSES]`
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
cotree=${COTREE_BUILD:-$top/build}/cotree
processes=${1:-1000}
work=$(mktemp -d "${TMPDIR:-/tmp}/cotree-pool.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
cat >pooled.c <<'END'
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static volatile unsigned sum;
__attribute__((noinline)) static void count(unsigned i)
{
    if (i % 10 == 3)
        sum += 2;
    else
        sum++;
}
int main(int argc, char **argv)
{
    for (unsigned i = 0; i < 1000; i++)
        count(i);
    if (argc > 1 && atoi(argv[1]) % 10 == 0)
        kill(getpid(), SIGKILL);
    return 0;
}
END
"$cotree" cc -O2 pooled.c -o pooled
export COTREE_FILE="$work/pool.%m.cotree"
start=$(date +%s%N)
# xargs stops at a child that was killed, so a shell takes the status of each.
seq "$processes" | xargs -P 100 -I{} sh -c './pooled {} 2>/dev/null; exit 0' 2>/dev/null
ms=$((($(date +%s%N) - start) / 1000000))
"$cotree" report pooled pool.*.cotree --format=json -o pool.json
killed=$((processes / 10))
jq -r '.functions[] | select(.name == "count") |
    "\(.entries) \([.edges[] | select(.kind == "exit") | .count] | add)"' pool.json >counts
read -r entries exits <counts
runs=$(jq .runs pool.json)
files=$(ls pool.*.cotree | wc -l)
bytes=$(stat -c %s pool.*.cotree | awk '{ s += $1 } END { print s }')
echo "$processes processes, $killed of them killed, in $ms ms: $files file of $bytes bytes"
echo "runs: $runs of $processes; calls of count(): $entries of $((processes * 1000)), returned: $exits"
jq -r '.why_not_exact[] | "not exact: " + .' pool.json
[ "$files" = 1 ] && [ "$runs" = "$processes" ] && [ "$entries" = $((processes * 1000)) ] &&
    [ "$exits" = "$entries" ] || {
    echo "bench/pool.sh: counts were lost" >&2
    exit 1
}
