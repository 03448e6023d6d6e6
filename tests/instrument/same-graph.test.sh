#!/usr/bin/env bash
# Blocks and edges have the same ids at every level, with and without -g, though clang emits other
# blocks when lifetimes are marked.
set -eu
. "$COTREE_TOP/tests/lib/instrument.sh"
for level in $levels "-O0 -g" "-O2 -g" "-O2 -fPIC" "-O3 -march=native"; do
    # shellcheck disable=SC2086
    plugin_cc 'sets=edges;lines=1' $level -c "$COTREE_TOP/tests/instrument/control_flow.c" -o out.o
    map_of out.o | grep -vE '^  (flags|block)' >graphs
    [ -f expected ] || cp graphs expected
    same expected graphs "the graphs at $level are not those of -O0"
done
grep -q '^function scopes blocks' graphs || fail "the map has no function 'scopes'"

# The one known exception: a case that does nothing but break has a block of its own at -O0 only
# (clang drops it).
echo 'int f(int x) { switch (x) { case 1: break; case 2: x = 7; break; default: x = 9; } return x; }' >case.c
for level in -O0 -O2; do plugin_cc 'sets=edges' $level -c case.c -o case.o; map_of -g case.o |
    cut -d' ' -f4; done | tr '\n' ' ' >blocks
[ "$(cat blocks)" = "5 4 " ] ||
    fail "blocks of an empty case: $(cat blocks); the documentation says 5 at -O0, 4 above"
