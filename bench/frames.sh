#!/usr/bin/env bash
# What it costs to leave frames behind, in instructions: `bench/frames.sh [FRAMES]`.
#
# bench/frames.c leaves 5 and FRAMES (20) frames, 1000 and 3000 times; the differences are the costs
# of one jump or throw and of each frame it leaves. "off" is the same program with COTREE=off: it
# counts, but does not record frames. "recording" is what is left when that is taken off. Building
# one frame more (the call, and the counting of it) is part of every number but the last two
# columns.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
cotree=${COTREE_BUILD:-$top/build}/cotree
deep=${1:-20}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/cotree-frames.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
clang-${LLVM:-19} -O2 -fno-optimize-sibling-calls "$top/bench/frames.c" -o plain-c
clang++-${LLVM:-19} -O2 -x c++ "$top/bench/frames.c" -o plain-c++
"$cotree" cc -O2 -fno-optimize-sibling-calls "$top/bench/frames.c" -o counted-c
"$cotree" c++ -O2 -x c++ "$top/bench/frames.c" -o counted-c++

irefs() { # PROGRAM HOW TIMES DEPTH
    rm -f data*
    valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null "$@" 2>&1 |
        sed -n 's/.*I *refs: *//p' | tr -d ,
}
one() { # PROGRAM HOW DEPTH: the cost of doing it once, times 1000
    local few many
    few=$(irefs "./$1" "$2" 1000 "$3") many=$(irefs "./$1" "$2" 3000 "$3")
    echo $(((many - few) / 2))
}
export COTREE_FILE="$tmp/data"
printf '%-18s %9s %9s %9s %11s %11s\n' '' plain off counted recording 'a frame'
for how in again anew throw; do
    language=c
    [ $how = throw ] && language=c++
    for depth in 5 "$deep"; do
        plain=$(one plain-$language $how "$depth")
        off=$(COTREE=off one counted-$language $how "$depth")
        counted=$(one counted-$language $how "$depth")
        eval "recording_$depth=$((counted - off))"
        frame=
        [ "$depth" = 5 ] ||
            frame=$(awk "BEGIN { printf \"%.1f\", ($((counted - off)) - $recording_5) / 1000 / ($depth - 5) }")
        awk -v what="$how, $depth frames" -v p="$plain" -v o="$off" -v c="$counted" -v f="$frame" \
            '
                BEGIN {
                    printf "%-18s %9.0f %9.0f %9.0f %11.0f", what, p / 1000, o / 1000, c / 1000,
                        (c - o) / 1000
                    printf f == "" ? "\n" : "%12s\n", f
                }'
    done
done
few=$(irefs ./counted-c exit 1 10) many=$(irefs ./counted-c exit 1 1010)
few_off=$(COTREE=off irefs ./counted-c exit 1 10) many_off=$(COTREE=off irefs ./counted-c exit 1 1010)
awk "BEGIN { printf \"%-18s %53.1f\\n\", \"exit\", ($many - $few - ($many_off - $few_off)) / 1000 }"
