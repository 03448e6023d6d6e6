#!/usr/bin/env bash
# What programs that throw a lot pay, in instructions: `bench/throws.sh [CASE...]`. For each case of
# bench/throws.cpp and 1, 3 and 10 frames between the throw and the catch: one round of the plain
# program, with clang's profile (-fprofile-generate -mllvm -disable-vp), and with cotree's counters.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
cotree=${COTREE_BUILD:-$top/build}/cotree
[ $# -gt 0 ] || set -- plainly cleaning refusing rethrowing building parsing
tmp=$(mktemp -d "${TMPDIR:-/tmp}/cotree-throws.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
clang++-${LLVM:-19} -O2 "$top/bench/throws.cpp" -o plain
clang++-${LLVM:-19} -O2 -fprofile-generate -mllvm -disable-vp "$top/bench/throws.cpp" -o clang
"$cotree" c++ -O2 "$top/bench/throws.cpp" -o counted
export COTREE_FILE="$tmp/data" LLVM_PROFILE_FILE="$tmp/data.profraw"

irefs() { # PROGRAM CASE DEPTH TIMES
    rm -f data*
    valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null "$@" 2>&1 |
        sed -n 's/.*I *refs: *//p' | tr -d ,
}
printf '%-22s %9s %9s %9s %9s %9s\n' '' plain clang cotree clang cotree
for case; do
    for depth in 1 3 10; do
        for program in plain clang counted; do
            few=$(irefs ./$program "$case" $depth 500) many=$(irefs ./$program "$case" $depth 1500)
            eval "$program=$((many - few))"
        done
        # shellcheck disable=SC2154
        awk -v what="$case, $depth" -v p="$plain" -v f="$clang" -v c="$counted" \
            '
                BEGIN {
                    printf "%-22s %9.0f %9.0f %9.0f %+8.1f%% %+8.1f%%\n", what, p / 1000, f / 1000, c / 1000,
                        100 * (f - p) / p, 100 * (c - p) / p
                }'
    done
done
