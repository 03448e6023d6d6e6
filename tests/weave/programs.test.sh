#!/usr/bin/env bash
# Two real programs, one in C and one in C++: woven at -O2 they are, byte for byte, what their sources
# give. `make check-weave` compares more programs, at more levels.
set -eu
export COTREE_PROGRAMS=${COTREE_PROGRAMS:-/tmp/cotree-programs} COTREE_LEVELS=-O2
COTREE_VARIANTS="-fcotree=trace -fcotree=paths,-fcotree-paths=group:1/4"
export COTREE_VARIANTS
"$COTREE_TOP/tests/programs/fetch" gperf bzip2 >fetched 2>&1 || {
    echo "skipped: sources cannot be fetched: $(tail -n 1 fetched)"
    exit 77
}
"$COTREE_TOP/tests/weave/matrix.sh" gperf bzip2 >table 2>&1 || { cat table && exit 1; }
[ "$(grep -c 'same$' table)" -eq 4 ] || { cat table && exit 1; }
