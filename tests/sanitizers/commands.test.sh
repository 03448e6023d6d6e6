#!/usr/bin/env bash
# cotree's commands pass their tests under AddressSanitizer and UndefinedBehaviorSanitizer too.
set -eu
asan=$COTREE_BUILD/asan
[ -x "$asan/cotree" ] || { echo "no $asan: run make asan"; exit 1; }
export COTREE_BUILD=$asan UBSAN_OPTIONS=print_stacktrace=1
# (Tests of memory use are left out: ASan holds back what is freed.) A leak at the end of a command
# that prints and exits is no error; the unit tests look for leaks.
export ASAN_OPTIONS=detect_leaks=0
"$COTREE_TOP/tests/run" -j 1 tests/report/ tests/graph/ tests/diff/ 'tests/decode/(busy|merge\.|libraries)' \
    tests/driver/bad-options tests/driver/link-kinds
