#!/usr/bin/env bash
# Signal handlers that count lose nothing, whatever they interrupt: threads that start and end, fork.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"
build_exec dynamic "$HERE/signals.c"
build_static static "$HERE/signals.c"
build_exec pic -DHANDMADE_PIC "$HERE/signals.c"
for program in dynamic static pic; do
    ./$program 300 >told
    wanted=$(awk '{ a += $1; b += $2; c += $3 } END { print a, b, c }' told)
    expect "$program" "$(sum a001 $program.*.cotree)" "$wanted"
    case $(states $program.*.cotree) in *USED*) fail "$program: $(states $program.*.cotree)" ;; esac
done
