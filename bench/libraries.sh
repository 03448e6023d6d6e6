#!/usr/bin/env bash
# What it costs to load and unload a library again and again: seconds of the processor for 2,000
# times, with counters and traced, in a plain program and in one of the same kind.
# bench/libraries.sh [TIMES]
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
cotree=${COTREE_BUILD:-$top/build}/cotree
programs=$top/tests/trace/programs
times=${1-2000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"clang-${LLVM:-19}" -O1 "$programs/reload_host.c" -o host-plain -lpthread -ldl
"clang-${LLVM:-19}" -O1 -shared -fPIC -DNAME=work "$programs/reload_library.c" -o plain.so
for kind in edges trace; do
    "$cotree" cc -O1 -fcotree=$kind "$programs/reload_host.c" -o host-$kind -lpthread -ldl
    "$cotree" cc -O1 -fcotree=$kind -shared -fPIC -DNAME=work "$programs/reload_library.c" -o $kind.so
done
TIMEFORMAT='%U %S'
printf '%-8s %-8s %s\n' program library 'seconds'
for pair in plain:plain plain:edges plain:trace edges:edges trace:trace; do
    mkdir data
    seconds=$({ time COTREE_FILE=data/%p.cotree "./host-${pair%:*}" - "$times" "./${pair#*:}.so" \
        >/dev/null; } 2>&1)
    printf '%-8s %-8s %.2f\n' "${pair%:*}" "${pair#*:}" "$(echo "$seconds" | awk '{ print $1 + $2 }')"
    sleep 1 # the follower
    rm -rf data
done
