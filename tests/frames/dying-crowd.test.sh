#!/usr/bin/env bash
# A process dies of a signal while its other threads are anywhere, in the runtime too: they are
# stopped there, and counted exactly. A place that is not known may be declared; frames that were
# not recorded, or a thread that was not stopped, fail.
set -u
. "$COTREE_TOP/tests/frames/programs.sh"
statuses=(134 139 143)
ulimit -c 0
for level in -O0 -O2; do
    "$cotree" c++ -w "$level" -fcotree=edges,every-edge -pthread "$COTREE_TOP/tests/frames/stress/crowd.cpp" \
        -o "crowd$level" 2>log || { failed "crowd $level: $(head -n 3 log)"; continue; }
    for ((i = 0; i < 24; i++)); do
        how=$((i % 3)) time=$((1000 + i * 7919 % 60000)) status=0 reported=0
        rm -rf data; mkdir data
        { COTREE_FILE=$PWD/data/%p.cotree timeout -k 1 600 "./crowd$level" $time $how >out 2>&1 ||
            status=$?; } 2>log
        [ $status = "${statuses[how]}" ] || failed "crowd $level $time $how: status $status"
        "$cotree" report --check-sets --format=json -o json "crowd$level" data 2>said || reported=$?
        if [ $reported != 0 ] || [ -s said ]; then
            failed "crowd $level $time $how: report ends with $reported: $(head -n 1 said)"
        fi
        jq -r '.why_not_exact[], ([.functions[] | select(.name | test("works|throws|jumps"))] | length)' \
            json >words
        why=$(sed '$d; /at a place that is not known exactly/d' words)
        [ -z "$why" ] || failed "crowd $level $time $how: $why"
        [ "$(tail -n 1 words)" -ge 4 ] || failed "crowd $level $time $how: the profile is empty"
    done
done
finish
