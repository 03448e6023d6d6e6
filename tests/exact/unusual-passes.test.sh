#!/usr/bin/env bash
# Passes of the optimiser that are off unless asked for change no count: lines by counters, paths and trace are those that a counter of their own on each line
# found, whatever is merged, hoisted, sunk, outlined or interchanged.
set -eu
export COTREE_FOLLOWER=off
: "${LLVM:=19}"
cotree=$COTREE_BUILD/cotree source=$COTREE_TOP/tests/exact/unusual-passes.c
fail() { echo "$*" >&2; exit 1; }

"clang-$LLVM" -O0 -w -DTRUTH "$source" -o counted
TRUTH_FILE=truth ./counted >plain.out
od -An -v -td8 -w8 truth | awk '$1 { print NR - 1, $1 }' >wanted
[ "$(wc -l <wanted)" -gt 20 ] || fail "too few lines ran"

check() { # KIND OPTION...
    local kind=$1 prog=prog
    shift
    rm -f ./*.cotree*
    "$cotree" cc -w -O2 -fcotree="$kind" "$@" "$source" -o $prog
    ./$prog >out || fail "$kind, $*: it fails"
    cmp plain.out out || fail "$kind, $*: another output"
    "$cotree" report --format=json $prog $prog.*.cotree >report.json
    jq -e .exact report.json >/dev/null || fail "$kind, $*: $(jq -c .why_not_exact report.json)"
    "$cotree" report --format=lcov $prog $prog.*.cotree | sed -n 's/^DA:\([0-9]*\),\([0-9]*\).*/\1 \2/p' | sort -u >lines
    awk -v what="$kind, $*" 'FNR == NR { count[$1] = $2; next }
        count[$1] != $2 { print what ": line " $1 " ran " $2 " times, not " count[$1]; wrong = 1 } END { exit wrong }' lines wanted >&2
}

for kind in edges paths trace; do
    check $kind -mllvm -enable-gvn-sink
    check $kind -mllvm -enable-gvn-hoist
    check $kind -mllvm -enable-gvn-sink -mllvm -enable-gvn-hoist -mllvm -enable-newgvn
    check $kind -mllvm -ir-outliner -mllvm -hot-cold-split -mllvm -enable-partial-inlining
    check $kind -mllvm -enable-loopinterchange -mllvm -enable-unroll-and-jam -mllvm -enable-loop-flatten -mllvm -enable-loop-versioning-licm
    check $kind -mllvm -enable-dfa-jump-thread -mllvm -enable-merge-functions -mllvm -enable-machine-outliner
done
check edges -fcotree-durable -mllvm -enable-gvn-sink
check edges -fPIC -mllvm -enable-gvn-sink
