#!/usr/bin/env bash
# Four threads in recursion and one in a hot loop, killed at any moment: no count is further from
# that of a counter on its edge than the profile says, and every function says something.
set -eu
cotree=$COTREE_BUILD/cotree
fail() { echo "$*"; exit 1; }
for flags in -O0 -O2 '-O3 -fPIC'; do
    # shellcheck disable=SC2086
    "$cotree" cc -w -pthread -fcotree=edges,every-edge $flags -fcotree-durable \
        "$COTREE_TOP/tests/durable/threads.c" -o program
    differences=0
    for _ in 1 2 3 4 5 6; do
        rm -f data.cotree started
        mkfifo started
        COTREE_FILE=$PWD/data.cotree ./program >started &
        pid=$!
        read -r line <started && [ "$line" = ready ]
        sleep "0.0$((RANDOM % 10))$((RANDOM % 10))"
        status=0
        { kill -KILL $pid && wait $pid || status=$?; } 2>/dev/null
        [ $status = 137 ] || fail "$flags: ended with status $status before it was killed"
        "$cotree" report --check-sets --format=json -o json program data.cotree 2>said ||
            fail "$flags: $(cat said)"
        ! grep -v '^cotree report: declared difference: ' said ||
            fail "$flags: a count is further off than it says"
        differences=$((differences + $(wc -l <said)))
        unbounded=$(jq -r '[.functions[] | select(.max_error == null) | .name] | join(" ")' json)
        [ -z "$unbounded" ] || fail "$flags: not bounded: $unbounded"
        jq -e '.exact == false and (.functions | length) > 10' json >/dev/null ||
            fail "$flags: not what was run"
    done
    [ $differences -gt 0 ] || fail "$flags: all counts are right: nothing is tested"
done
