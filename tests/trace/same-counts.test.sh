#!/usr/bin/env bash
# The counts that a trace implies are those of a counter on every edge, beside it and in a program of its own.
set -eu
export COTREE_FOLLOWER=off
fail() { echo "$*" >&2; exit 1; }
programs=$COTREE_TOP/tests/trace/programs
"clang-${LLVM:-19}" -O2 -c "$programs/reporter.c" -o reporter.o
counts() { # LEVEL SETS PROGRAM ARGUMENT...
    "$COTREE_BUILD/cotree" cc -O"$1" -w "-fcotree=$2" "$programs/$3.c" reporter.o -o prog
    rm -f prog.*.cotree*
    shift 3
    ./prog "$@" >output
    "$COTREE_BUILD/cotree" report --format=json ./prog prog.*.cotree |
        jq -c '.functions[] | [.name, .edges]' | sort
}
for level in 0 2 3; do
    counts $level every-edge calls >wanted
    for sets in trace trace,every-edge; do
        counts $level $sets calls >got
        cmp wanted got || fail "-O$level, $sets: $(diff wanted got | head -n 4)"
    done
done
[ "$(wc -l <wanted)" -gt 20 ] || fail "only $(wc -l <wanted) functions"

for level in 1 2 3; do
    counts $level every-edge sunk-stores -9 -12z7 -3MiB >wanted
    counts $level trace sunk-stores -9 -12z7 -3MiB >got
    cmp wanted got || fail "stores that were sunk, -O$level: $(diff wanted got | head -n 4)"
done

# Beside counters a main that ends by exit is as exact as without a trace.
cat >ends.c <<'C'
#include <stdlib.h>
int main(int argc, char **argv)
{
    if (argc > 1)
        exit(argv[1][0] == '3' ? 3 : 4);
    return 0;
}
C
for level in 0 2; do
    "$COTREE_BUILD/cotree" cc -O$level -fcotree=trace,every-edge ends.c -o ends
    rm -f ends.*.cotree*
    for argument in '' 3 4; do ./ends $argument || [ $? = "$argument" ]; done
    "$COTREE_BUILD/cotree" report --check-sets --format=json ./ends ends.*.cotree >ends.json
    jq -e '.exact and .runs == 3' ends.json >/dev/null ||
        fail "exit in main, -O$level: $(jq -c .why_not_exact ends.json)"
done
