#!/usr/bin/env bash
# The first process of a container dies of what it does to itself as it would without counters, with
# the same output and status, and nothing of it is lost.
set -eu
unshare --pid --fork true 2>/dev/null || { echo "skipped: no new pid namespaces here"; exit 77; }
here=$COTREE_TOP/tests/runtime cotree=$COTREE_BUILD/cotree
fail() { echo "$*"; exit 1; }
flags="-O1 -g -D_GNU_SOURCE $here/first_process_dies.c"
"clang-$LLVM" $flags -o plain
"$cotree" cc $flags -o edges
"$cotree" cc -fcotree=paths $flags -o paths
"$cotree" cc -fcotree=trace $flags -o trace
"$cotree" cc -static $flags -o static
ulimit -c 0
# What hangs is ended: --kill-child takes the namespace along.
first() {
    (timeout -k 1 120 unshare --pid --fork --kill-child ./"$@") >"$1.out" 2>&1 || echo "status $?" >>"$1.out"
}
call_line=$(grep -n '/\* 1 \*/' "$here/first_process_dies.c" | cut -d: -f1)
for way in abort abort-handled abort-ignored abort-blocked abort-thread assert trap breakpoint \
    long-breakpoint single-step null null-handled null-ignored \
    null-blocked not-canonical overflow divide raise kill alarm exit _exit quick_exit; do
    first plain $way
    case $way in
    raise | kill | alarm) grep -q '^end$' plain.out || fail "plain, $way: $(cat plain.out)" ;;
    *) grep -q '^status' plain.out || fail "plain, $way: it lives on: $(cat plain.out)" ;;
    esac
    for program in edges paths trace static; do
        rm -f $program*.cotree*
        COTREE_FILE=$program.%p.cotree first $program $way
        sed "s/^plain:/$program:/" plain.out | cmp - $program.out ||
            fail "$program, $way: $(diff plain.out $program.out)"
        "$cotree" report --format=json ./$program $program.*.cotree >$program.json
        calls=$(jq ".files[] | select(.file | endswith(\"first_process_dies.c\")) | .lines[] | select(.line == $call_line) | .count" $program.json)
        [ "$calls" = 1 ] || fail "$program, $way: line $call_line ran $calls times"
        # Where a fault was blocked or ignored nobody could look at the stack; traces of threads
        # that live at the end are not whole. With a trace one store stands for those of several calls
        # of `fault`: it has no position, and what comes after it may have run or not.
        expected=true
        case $program,$way in
        *-blocked | *,null-ignored | trace,abort-thread) expected=false ;;
        trace,null | trace,null-handled) expected=false ;;
        esac
        [ $program = paths ] || # a frame that is interrupted between calls is declared
            [ "$(jq .exact $program.json)" = $expected ] ||
                fail "$program, $way: $("$cotree" report ./$program $program.*.cotree | sed -n 1,4p)"
    done
done
