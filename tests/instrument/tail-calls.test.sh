#!/usr/bin/env bash
# A tail call stays a tail call: no probe stands between the call and the return, also in -fPIC code.
set -eu
. "$COTREE_TOP/tests/lib/instrument.sh"
for flags in "-O2" "-O3" "-O2 -fPIC"; do
    # shellcheck disable=SC2086
    plugin_cc 'sets=edges,every-edge,every-block' $flags -S "$COTREE_TOP/tests/instrument/control_flow.c" \
        -o out.s
    for function in tail_call must_tail_call; do
        sed -n "/^$function:/,/^\.Lfunc_end/p" out.s >body
        grep -qE '^[[:space:]]jmp[[:space:]]leaf' body || fail "$function does not jump to leaf with $flags"
        ! grep -qE '^[[:space:]]callq?[[:space:]]leaf' body || fail "$function calls leaf with $flags"
    done
done
# Asked for by the source, it is kept even without optimisation.
plugin_cc 'sets=edges,every-edge,every-block' -O0 -S "$COTREE_TOP/tests/instrument/control_flow.c" -o out.s
sed -n "/^must_tail_call:/,/^\.Lfunc_end/p" out.s | grep -qE '^[[:space:]]jmp[[:space:]]leaf' ||
    fail "musttail is lost at -O0"
