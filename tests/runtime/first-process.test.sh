#!/usr/bin/env bash
# The first process of a container ignores signals that it has no handler for, and so it does with
# counters; its children die of them.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"
unshare --pid --fork true 2>/dev/null || { echo "skipped: no new pid namespaces here"; exit 77; }
"$CLANG" $CFLAGS_TEST "$HERE/first_process.c" -o plain
build_exec prog -DCOUNTED "$HERE/first_process.c"
build_static static -DCOUNTED "$HERE/first_process.c"
first() { unshare --pid --fork ./$1 >$1.out 2>&1 || echo "status $?" >>$1.out; }
makes() { (timeout -k 1 600 ./$1 makes || echo "status $?") >$1.out 2>&1; }
for how in first makes; do
    $how plain
    grep -q '^raise 15 0' plain.out || fail "plain: $(cat plain.out)"
    grep -q '^child: signal 15' plain.out || fail "plain: $(cat plain.out)"
    for program in prog static; do
        rm -f $program.*.cotree
        COTREE_FILE=%e.%p.cotree $how $program
        cmp plain.out $program.out || fail "$program, $how: $(diff plain.out $program.out)"
        expect "$program, $how: counts" "$(sum b001 $program.*.cotree)" 1
    done
done
