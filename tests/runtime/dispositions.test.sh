#!/usr/bin/env bash
# A program sees of its signals, their actions and their stacks what a plain build of it sees.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"
PATH=$COTREE_BUILD:$PATH
flags="-O1 -D_GNU_SOURCE -pthread -Wno-deprecated-declarations"
clang-${LLVM:-19} $flags "$HERE/dispositions.c" -o plain
./plain >wanted
[ "$(wc -l <wanted)" -gt 1000 ] || fail "the plain program prints $(wc -l <wanted) lines"
for kind in "" "-static" "-fPIC" "-static-pie"; do
    cotree cc $flags $kind "$HERE/dispositions.c" -o program
    ./program >got || fail "$kind: status $?"
    cmp wanted got || { diff wanted got | head -20 >&2; fail "$kind: it sees something"; }
done
