#!/usr/bin/env bash
# A signal interrupts a thread once at a time: the bound after SIGKILL allows for all that have a
# handler. A handler that may interrupt itself may do so any number of times: nothing is known then,
# and nothing said.
set -eu
cotree=$COTREE_BUILD/cotree
fail() { echo "$*"; exit 1; }
"$cotree" cc -w -O2 -fcotree-durable "$COTREE_TOP/tests/durable/handlers.c" -o program
error_of() { # OPTION...
    rm -f data.cotree
    status=0
    { COTREE_FILE=$PWD/data.cotree ./program "$@" >said || status=$?; } 2>/dev/null
    [ $status = 137 ] || { echo "status $status: not killed"; return; }
    "$cotree" report --format=json -o json program data.cotree
    jq -r '.functions[] | select(.name == "deep") | .max_error' json
}
error=$(error_of)
[ "$error" != null ] || fail "not bounded"
[ "$error" -ge 51 ] && [ "$error" -le 70 ] && [ "$(cat said)" = 51 ] ||
    fail "$(cat said) activations, and an error of $error"
[ "$(error_of nested)" = null ] || fail "handlers that interrupt themselves are bounded"
