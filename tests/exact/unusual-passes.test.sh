#!/usr/bin/env bash
# Passes of the optimiser that are off unless asked for change no count: lines by counters, paths
# and trace are those that a counter of their own on each line found, whatever is merged, hoisted,
# sunk, outlined or interchanged.
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
    "$cotree" report --format=lcov $prog $prog.*.cotree | sed -n 's/^DA:\([0-9]*\),\([0-9]*\).*/\1 \2/p' |
        sort -u >lines
    awk -v what="$kind, $*" 'FNR == NR { count[$1] = $2; next }
        count[$1] != $2 {
            print what ": line " $1 " ran " $2 " times, not " count[$1]
            wrong = 1
        }
        END { exit wrong }' lines wanted >&2
}

for kind in edges paths trace; do
    check $kind -mllvm -enable-gvn-sink
    check $kind -mllvm -enable-gvn-hoist
    check $kind -mllvm -enable-gvn-sink -mllvm -enable-gvn-hoist -mllvm -enable-newgvn
    check $kind -mllvm -ir-outliner -mllvm -hot-cold-split -mllvm -enable-partial-inlining
    check $kind -mllvm -enable-loopinterchange -mllvm -enable-unroll-and-jam -mllvm -enable-loop-flatten \
        -mllvm -enable-loop-versioning-licm
    check $kind -mllvm -enable-dfa-jump-thread -mllvm -enable-merge-functions -mllvm -enable-machine-outliner
done
check edges -fcotree-durable -mllvm -enable-gvn-sink
check edges -fPIC -mllvm -enable-gvn-sink

# No pass of LLVM makes one marker of two, but one of somebody else's may. Here it is done by hand,
# in what waits for a linker: where two ways meet the one marker counts in either counter.
cat >merged.c <<'C'
#include <stdio.h>
static volatile int sum;
__attribute__((noinline)) int choose(int i)
{
    if (i % 3)
        sum += 1;
    else
        sum += 2;
    return sum;
}
int main(void)
{
    for (int i = 0; i < 100; i++)
        choose(i);
    printf("%d\n", sum);
    return 0;
}
C
for option in -fno-pic -fPIC; do
    rm -f ./*.cotree*
    "$cotree" cc -O1 -flto $option -c merged.c -o merged.o
    "llvm-dis-$LLVM" merged.o -o - | awk '/^define .*@choose\(/ { inside = 1 } /^}/ { inside = 0 }
        inside && /^[0-9]+:/ { label = "%" $1; sub(":", "", label) }
        inside && /call void @llvm.var.annotation/ {
            marker = $0
            match($0, /getelementptr inbounds \([^)]*\)/)
            address[++found] = substr($0, RSTART, RLENGTH)
            from[found] = label
            next
        }
        inside && / = phi i32 / && found == 2 {
            printf "  %%merged = phi ptr [ %s, %s ], [ %s, %s ]\n%s\n", address[1], from[1], address[2],
                from[2], $0
            sub(/ptr (nonnull )?getelementptr inbounds \([^)]*\)/, "ptr %merged", marker)
            print marker
            found = 0
            next
        }
        { print }' >merged.ll
    grep -q '%merged = phi' merged.ll || fail "$option: nothing is merged"
    "llvm-as-$LLVM" merged.ll -o merged.o
    "$cotree" cc -O1 -flto merged.o -o merged
    [ "$(./merged)" = 134 ] || fail "$option: merged: another output"
    got=$("$cotree" report --format=json merged merged.*.cotree |
        jq -c '[.exact, (.functions[] | select(.name == "choose") | .blocks | map(.count))]')
    [ "$got" = '[true,[100,66,34,100]]' ] || fail "$option: merged: $got"
done
