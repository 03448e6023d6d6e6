#!/usr/bin/env bash
# Counts of every kind of control flow are right and the same at every level: few counters agree
# with one on every edge and every block in the same program, and the counts at -O1 and above are
# those of -O0.
set -eu
. "$COTREE_TOP/tests/lib/instrument.sh"
program=$COTREE_TOP/tests/instrument/control_flow.c
for level in $levels "-O2 -fPIC" "-O0 -fPIC" "-O2 -g" "-O2 -static"; do
    # shellcheck disable=SC2086
    cotree cc $level -fcotree=edges,every-edge,blocks,every-block "$program" -o prog
    COTREE_FILE=run.cotree ./prog >out
    [ -f expected ] || cp out expected
    same expected out "the program computes something else at $level"
    cotree report --check-sets --format=json prog run.cotree >check.json ||
        fail "counter sets disagree at $level"
    grep -q '"exact":true,"why_not_exact":\[\]' check.json || fail "not exact at $level"
    # Blocks, edges and counts; lines of a break that leaves a scope are known at -O0 only.
    grep '^{"name"' check.json | sed -E 's/"lines":\[[^]]*\]//g' >counts
    [ -f counts.expected ] || cp counts counts.expected
    same counts.expected counts "counts at $level are not those of -O0"
    rm run.cotree
done
grep -q '"name":"no_memory"[^}]*"entries":40' counts || fail "calls of a const function were dropped"
