#!/usr/bin/env bash
# The unit tests pass under AddressSanitizer and UndefinedBehaviorSanitizer.
set -eu
asan=$COTREE_BUILD/asan
[ -x "$asan/cotree" ] || { echo "no $asan: run make asan"; exit 1; }
export UBSAN_OPTIONS=print_stacktrace=1 ASAN_OPTIONS=strict_string_checks=1:detect_stack_use_after_return=1
ran=0
for program in "$asan"/unit/*; do
    mkdir "$(basename "$program")"
    (cd "$(basename "$program")" && "$program" >output 2>&1) ||
        { echo "$program:"; tail -40 "$(basename "$program")/output"; exit 1; }
    ran=$((ran + 1))
done
[ $ran -eq "$(ls "$COTREE_TOP"/tests/unit/*.c | wc -l)" ] ||
    { echo "$ran programs ran: run make asan"; exit 1; }
