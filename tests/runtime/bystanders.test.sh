#!/usr/bin/env bash
# A process dies of a signal among threads that count nothing. They may hold the runtime's lock,
# which the dying thread needs: it does not wait for them in vain. One of them may be traced by
# somebody else: the others are let go and parked, and nobody finds the process that was to trace
# them.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"
ulimit -c 0
build_exec pic -g -DHANDMADE_PIC "$HERE/bystanders.c"
build_exec dynamic -g "$HERE/bystanders.c"
# Those of a -fPIC program have no block.
for case in pic,12 dynamic,2; do
    program=${case%,*} number=${case#*,}
    for kind in actions traced; do
        for ((i = 0; i < 12; i++)); do
            rm -f ./*.cotree
            status=0 begin=${EPOCHREALTIME/./}
            { timeout 600 ./$program $kind $number >out 2>&1 || status=$?; } 2>nothing
            took=$(((${EPOCHREALTIME/./} - begin) / 1000))
            if [ $kind$status = traced8 ]; then
                echo "skipped: $program $kind: tracing is not allowed here"; break
            fi
            expect "$program $kind: status, output" "$status $(cat out)" "139 "
            expect "$program $kind: frames" "$(events ./$program $program.*.cotree)" \
                "CUT main 1; CUT_AT t_end 1"
            expect "$program $kind: lost" \
                "$(field frames_lost $program.*.cotree) $(states $program.*.cotree | grep -c USED)" \
                "0 0"
            # A busy machine takes its time for the same without counters, too.
            if [ $took -ge 3000 ]; then
                begin=${EPOCHREALTIME/./}
                { COTREE=off timeout 600 ./$program $kind $number >out 2>&1 || :; } 2>nothing
                without=$(((${EPOCHREALTIME/./} - begin) / 1000))
                [ $took -lt $((3000 + 10 * without)) ] ||
                    fail "$program $kind: it took $took ms to die, without counters $without ms"
            fi
        done
    done
done
