#!/usr/bin/env bash
# Processes of several pid namespaces share a pool, though their process ids are the same.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"
unshare --pid --fork --mount-proc true 2>/dev/null || { echo "skipped: no new pid namespaces here"; exit 77; }
build_exec prog "$HERE/pool.c"
export COTREE_FILE=%m
# All at once: the process ids are the same, the namespaces are not.
for i in 1 2 3 4 5 6; do unshare --pid --fork --mount-proc ./prog 1 5 & done
wait
expect "counts" "$(sum 6001 prog.*.cotree) $(field runs prog.*.cotree) $(field clean prog.*.cotree)" \
    "6000 30 6 6"
slots=$(dump prog.*.cotree | grep -c '^slot')
# A process outside does not take what belongs to another namespace over; its like does.
./prog 1
./prog 1
expect "counts" "$(sum 6001 prog.*.cotree)" "8000 30"
[ "$(dump prog.*.cotree | grep -c '^slot')" -le $((slots + 1)) ] ||
    fail "a run that has ended is not followed by the next"
