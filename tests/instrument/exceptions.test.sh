#!/usr/bin/env bash
# C++ with exceptions: few counters agree with one on every edge and block, at every level, and -fPIC.
set -eu
. "$COTREE_TOP/tests/lib/instrument.sh"
for level in -O0 -O2 -Os "-O2 -fPIC"; do
    # shellcheck disable=SC2086
    cotree c++ $level -fcotree=edges,every-edge,blocks,every-block \
        "$COTREE_TOP/tests/instrument/exceptions.cpp" -o prog
    COTREE_FILE=run.cotree ./prog >out
    [ -f expected ] || cp out expected
    same expected out "the program computes something else at $level"
    cotree report --check-sets --format=json prog run.cotree >check.json ||
        fail "counter sets disagree at $level"
    grep -q '"name":"risky(int)"[^}]*"entries":125' check.json ||
        fail "risky did not run 125 times at $level: $(grep -o '"name":"risky[^}]*"entries":[0-9]*' \
        check.json)"
    rm run.cotree
done
