#!/usr/bin/env bash
# Programs that limit their own address space see and get the same as without a trace, which stays exact.
set -eu
cotree=$COTREE_BUILD/cotree
source=$COTREE_TOP/tests/trace/programs/limits.c
fail() { echo "$*" >&2; exit 1; }
"clang-$LLVM" -O1 "$source" -o plain
./plain >wanted
for flags in '' -static -D_FILE_OFFSET_BITS=64 -fcotree-trace=addresses; do
    "$cotree" cc -O1 -fcotree=trace $flags "$source" -o traced
    rm -f ./*.cotree*
    COTREE_FOLLOWER=off ./traced >got || fail "'$flags': status $?"
    cmp got wanted || fail "'$flags': $(diff wanted got)"
    "$cotree" report --format=json traced ./*.cotree >json
    jq -e '.exact' json >/dev/null || fail "'$flags': $(jq -c .why_not_exact json)"
done
# One that was there before.
(ulimit -v 4000000; ./plain >limited || :; COTREE_FILE=limited.cotree ./traced >got; cmp got limited) ||
    fail "ulimit -v: $(diff limited got)"
