#!/usr/bin/env bash
# The sequences of blocks that are regenerated are those that were reported, thread by thread, child by child, and in handlers of signals.
set -eu
. "$COTREE_TOP/tests/lib/traced.sh"

for level in 0 2 3; do
    run $level threads.c 1
    run $level forks.c 51
    run $level signals.c 1
done
