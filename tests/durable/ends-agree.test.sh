#!/usr/bin/env bash
# Frames that never return are recorded; -fcotree-durable counts, by other means, how many there
# are. A profile is exact only if both agree: exits, jumps, exceptions, forks and threads that end,
# inlined and not. Where frames could not be recorded, there is a bound.
set -eu
. "$COTREE_TOP/tests/frames/programs.sh"
build_launcher
for name in exit-inlined exit-tail-call exit-in-handler exit-atexit-_exit recursion-cut switch-cut \
    computed-goto-cut longjmp-inlined longjmp-handler \
    setjmp-many-returns fork-deep vfork-exec exec-fails throw-no-cleanup throw-nested rethrow \
    throw-constructor pthread-exit-nested; do
    source=$(program_source "$name")
    for level in -O0 -O2; do
        rm -rf data && mkdir data
        # shellcheck disable=SC2046
        $(cotree_for "$source") $(counted_flags_for "$source") -pthread $level -fcotree=edges,every-edge \
            -fcotree-durable "$source" -o program
        run_program "$name" ./program output COTREE_FILE="$PWD/data/%e.%p.cotree"
        as_expected "$name" output >difference ||
            failed "$name $level does something else: $(head -n 3 difference)"
        "$cotree" report --check-sets --format=json -o json program data || failed "$name $level: status $?"
        why=$(jq -r 'if .exact then empty else .why_not_exact | tostring end' json)
        if [ -n "$why" ]; then failed "$name $level is not exact: $why"; fi
    done
done
for name in inexact-raw-exit inexact-swapcontext; do
    source=$(program_source "$name")
    rm -rf data && mkdir data
    # shellcheck disable=SC2046
    $(cotree_for "$source") $(counted_flags_for "$source") -O2 -fcotree=edges,every-edge \
        -fcotree-durable "$source" \
        -o program
    run_program "$name" ./program output COTREE_FILE="$PWD/data/%e.%p.cotree"
    "$cotree" report --check-sets --format=json -o json program data 2>said || failed "$name: $(cat said)"
    unbounded=$(jq -r '[.functions[] | select(.name != "main" and .max_error == null) | .name] | join(" ")' \
        json)
    if [ -n "$unbounded" ]; then failed "$name: not bounded: $unbounded"; fi
    if [ "$(jq .exact json)" != false ]; then failed "$name is called exact"; fi
done
finish
