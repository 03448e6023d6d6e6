#!/usr/bin/env bash
# Killed deep inside cycles of the call graph: with -fcotree-durable the error of every function is
# bounded, by the number of its unfinished activations and little more; and no count is further from
# that of a counter on its edge. Without it nothing is known there.
set -eu
cotree=$COTREE_BUILD/cotree
here=$COTREE_TOP/tests/durable
fail() { echo "$*"; exit 1; }

# killed NAME FLAG...: NAME.json, and what the program says in NAME.out.
killed() {
    local name=$1 status=0
    shift
    "$cotree" cc -w -fcotree=edges,every-edge "$@" "$here/recursion.c" -o "$name"
    { COTREE_FILE=$PWD/$name.cotree "./$name" >"$name.out" || status=$?; } 2>/dev/null
    [ $status -eq 137 ] || fail "$name: status $status"
    "$cotree" report --check-sets --format=json -o "$name.json" "$name" "$name.cotree" 2>"$name.said" ||
        fail "$name: $(cat "$name.said")"
    grep -q '^cotree report: declared difference: ' "$name.said" ||
        fail "$name: all counts are right: nothing is tested"
    ! grep -v '^cotree report: declared difference: ' "$name.said" ||
        fail "$name: a count is further off than it says"
    jq -e '.exact == false' "$name.json" >/dev/null || fail "$name says that it is exact"
}
error_of() { jq -r --arg f "$2" '.functions[] | select(.name == $f) | .max_error' "$1.json"; }

for flags in -O0 -O1 -O2 -O3 '-O2 -fPIC' '-O2 -static' '-O2 -g'; do
    name=durable${flags// /}
    # shellcheck disable=SC2086
    killed "$name" $flags -fcotree-durable
    while read -r function unfinished; do
        error=$(error_of "$name" "$function")
        # Optimised, this one counts its end before a call that is no tail call: what is not certain
        # is not said.
        case $function$flags in wide-O0) ;; wide*) [ "$error" = null ] ||
            fail "$name: wide $error"; continue ;; esac
        [ "$error" != null ] || fail "$name: $function: not bounded"
        [ "$error" -ge "$unfinished" ] ||
            fail "$name: $function: $unfinished activations are unfinished, but the error is to be $error at most"
        [ "$error" -le $((unfinished + 12)) ] ||
            fail "$name: $function: $unfinished activations are unfinished, and the error up to $error"
    done <"$name.out"
done

killed plain -O2
for function in even odd walk inlined; do
    [ "$(error_of plain $function)" = null ] || fail "$function is bounded without -fcotree-durable"
done
