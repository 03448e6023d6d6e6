#!/usr/bin/env bash
# Planning time for functions of 10^3 to 10^6 blocks: seconds of processor time for the weights and
# for each placement.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
build=${COTREE_BUILD:-$top/build}
make --no-print-directory -s -C "$top" B="$build" "$build/bench/planning"
"$build/bench/planning"
