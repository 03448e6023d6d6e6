#!/usr/bin/env bash
# Tail recursion ten million deep runs in a small stack with -fcotree-durable, as it does without,
# and is counted right; other tail calls are jumps as they are without it.
set -eu
cotree=$COTREE_BUILD/cotree
here=$COTREE_TOP/tests/durable
fail() { echo "$*"; exit 1; }
small_stack() { (ulimit -s 256 && "$@"); }

clang-"${LLVM:-19}" -w -O2 "$here/tail-calls.c" -o plain && small_stack ./plain >expected
for flags in -O1 -O2 -O3 -Os '-O2 -fPIC' '-O2 -g' '-O2 -fcotree=every-edge,edges'; do
    rm -f data.cotree
    # shellcheck disable=SC2086
    "$cotree" cc -w $flags -fcotree-durable "$here/tail-calls.c" -o program
    COTREE_FILE=$PWD/data.cotree small_stack ./program >output || fail "$flags: status $?"
    cmp expected output || fail "$flags: prints something else"
    "$cotree" report --format=json -o json program data.cotree
    jq -r 'if .exact then empty else .why_not_exact[] end' json >why && [ ! -s why ] ||
        fail "$flags: not exact: $(cat why)"
    [ "$(jq -r '[.functions[] | select(.name != "main") | "\(.name) \(.entries)"] | sort | join(", ")' \
        json)" = \
        "even 5000001, narrow 5000000, odd 5000000, ping 5000001, pong 5000000, product 10000000, sum 10000001, wide 5000001" ] ||
        fail "$flags: $(jq -c '[.functions[] | [.name, .entries]]' json)"
done

# tails FILE: which function jumps to which.
tails() { awk '/^[A-Za-z_][A-Za-z0-9_.$]*:/ { f = $1 } /# TAILCALL/ { print f, $2 }' "$1" | sort -u; }
for source in instrument/control_flow.c corpus/interpreter.c durable/tail-calls.c durable/threads.c; do
    for flags in -O2 '-O2 -fPIC' '-O2 -g'; do
        # shellcheck disable=SC2086
        "$cotree" cc -w $flags -S "$COTREE_TOP/tests/$source" -o without.s
        # shellcheck disable=SC2086
        "$cotree" cc -w $flags -fcotree-durable -S "$COTREE_TOP/tests/$source" -o with.s
        tails without.s >without && tails with.s >with
        cat without >>all
        [ -z "$(comm -23 without with)" ] ||
            fail "$source $flags: no tail call any more: $(comm -23 without with | tr '\n' ',')"
    done
done
[ "$(wc -l <all)" -ge 20 ] || fail "few tail calls: nothing is tested"
