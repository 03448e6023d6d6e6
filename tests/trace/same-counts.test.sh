#!/usr/bin/env bash
# The counts that a trace implies are those of a counter on every edge, beside it and in a program of its own.
set -eu
export COTREE_FOLLOWER=off
fail() { echo "$*" >&2; exit 1; }
programs=$COTREE_TOP/tests/trace/programs
"clang-${LLVM:-19}" -O2 -c "$programs/reporter.c" -o reporter.o
counts() { # LEVEL SETS
    "$COTREE_BUILD/cotree" cc -O"$1" -w "-fcotree=$2" "$programs/calls.c" reporter.o -o prog
    rm -f prog.*.cotree*
    ./prog >output
    "$COTREE_BUILD/cotree" report --format=json ./prog prog.*.cotree | jq -c '.functions[] | [.name, .edges]' | sort
}
for level in 0 2 3; do
    counts $level every-edge >wanted
    for sets in trace trace,every-edge; do
        counts $level $sets >got
        cmp wanted got || fail "-O$level, $sets: $(diff wanted got | head -n 4)"
    done
done
[ "$(wc -l <wanted)" -gt 20 ] || fail "only $(wc -l <wanted) functions"
