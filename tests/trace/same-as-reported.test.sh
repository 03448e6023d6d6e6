#!/usr/bin/env bash
# The sequence of blocks that is regenerated is the one that every block reported of itself in the
# same run: recursion, callbacks, tail calls, jumps, exceptions, ends in the middle; at every level
# of optimisation, for every placement. The program does what it does without.
set -eu
. "$COTREE_TOP/tests/lib/traced.sh"

for level in 0 2 3; do
    run $level calls.c 1
    run $level jumps.c 1
    run $level exceptions.cpp 1
    run $level coroutines.cpp 1
    run $level rounds.c 1
done
for placement in calls forest-first predicates paths packed-bits log2; do
    run 2 calls.c 1 -fcotree-witness=$placement
    run 2 exceptions.cpp 1 -fcotree-witness=$placement
done
for placement in paths packed-bits; do
    run 0 calls.c 1 -fcotree-witness=$placement
    run 2 jumps.c 1 -fcotree-witness=$placement
done
run 2 calls.c 1 -static
run 2 calls.c 1 -fPIC
run 2 exceptions.cpp 1 -fPIC

for level in 0 2 "2 -fcotree-witness=paths" "2 -fcotree-witness=packed-bits"; do
    "$cotree" cc -O$level -w -fcotree=trace -fcotree-trace=report "$here/ends.c" reporter.o -o ends
    for end in n:0 e:3 _:4 a:134 k:137 s:139; do
        blocks=0 status=0
        { (ulimit -c 0; exec ./ends "${end%:*}") >/dev/null || status=$?; } 2>/dev/null
        [ $status = "${end#*:}" ] || fail "end $end, -O$level: status $status"
        same ends 1 $([ "$end" = s:139 ] && echo 4 || echo 0)
    done
done
