#!/usr/bin/env bash
# What counting costs where several threads run the same code, and whether the counts are right:
# `bench/threads.sh [THREADS]` (8).
#
#   plain    clang -O2
#   edges    cotree cc
#   fair     clang -fprofile-generate -mllvm -disable-vp=true: clang's edge counters without value profiling
#   atomic   the same with -fprofile-update=atomic, as clang wants it for threads
#
# Instructions of one unit of work (bench/threads.c), by one thread and by all of them, from
# cachegrind's "I refs" of two runs that differ in units only: start and end of the program cancel.
# Counts are of runs without valgrind, five of them with all threads: calls of a function that the
# program itself has counted, too. Seconds are the least processor time of those five: an atomic
# addition is one instruction, but waits for the others (on a busy machine no more than a hint).
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
cotree=${COTREE_BUILD:-$top/build}/cotree
LLVM=${LLVM:-19}
many=${1:-8}
dir=$(mktemp -d "${TMPDIR:-/tmp}/cotree-threads.XXXXXX")
trap 'rm -rf "$dir"' EXIT
cd "$dir"
cp "$top/bench/threads.c" .
build() { # COLUMN COMPILER...
    local to=$1
    shift
    "$@" -O2 -pthread threads.c -o "$to"
}
build plain "clang-$LLVM"
build edges "$cotree" cc
build fair "clang-$LLVM" -fprofile-generate -mllvm -disable-vp=true
build atomic "clang-$LLVM" -fprofile-generate -mllvm -disable-vp=true -fprofile-update=atomic

irefs() { # COLUMN THREADS UNITS
    LLVM_PROFILE_FILE=/dev/null COTREE_FILE=$PWD/irefs.cotree valgrind --tool=cachegrind --cache-sim=no \
        --cachegrind-out-file=/dev/null --log-file=irefs "./$1" "$2" "$3" >/dev/null
    rm -f irefs.cotree
    awk '/I +refs:/ { gsub(/,/, "", $NF); print $NF }' irefs
}
a_unit() { # COLUMN THREADS
    local less more
    less=$(irefs "$1" "$2" 4000)
    more=$(irefs "$1" "$2" 12000)
    awk -v d=$((more - less)) 'BEGIN { printf "%.1f", d / 8000 }'
}
# calls COLUMN: how often odd_step was called in the run that was just made, by its profile.
calls() {
    case $1 in
    edges)
        "$cotree" report --format=json ./edges run.cotree |
            jq -r 'if .exact then "" else "not exact: " end + (.functions[] | select(.name == "odd_step") |
                .entries | tostring)'
        ;;
    *) "llvm-profdata-$LLVM" merge -o run.profdata run.profraw &&
        "llvm-profdata-$LLVM" show --function=odd_step --counts run.profdata | awk '
        /Function count:/ { print $3 } /Block counts:/ { gsub(/[^0-9]/, ""); if ($0 != "") print }' |
            head -n 1 ;;
    esac
}
wrong() { # COLUMN: least processor time of five runs; how many of them have a wrong count, and the worst
    local column=$1 truth counted worst=0 runs=0 off
    rm -f seconds
    for _ in 1 2 3 4 5; do
        rm -f run.cotree run.profraw
        TIMEFORMAT='%U' &&
            { time LLVM_PROFILE_FILE=run.profraw COTREE_FILE=$PWD/run.cotree "./$column" "$many" 400000 \
            >out; } 2>>seconds
        [ "$column" != plain ] || continue
        truth=$(awk '{ print $3 }' out)
        counted=$(calls "$column")
        case $counted in '' | *[!0-9]*) echo "no count: '$counted'"; return ;; esac
        off=$((counted - truth)) off=${off#-}
        [ "$off" -eq 0 ] || runs=$((runs + 1))
        [ "$off" -le "$worst" ] || worst=$off
    done
    printf '%-9s' "$(sort -n seconds | head -n 1)"
    if [ "$column" = plain ]; then echo -; elif [ $runs -eq 0 ]; then echo exact; else echo \
        "$runs of 5 runs wrong, by up to $worst of $truth"; fi
}
printf '%-8s %12s %8s %12s %8s  %s\n' '' '1 thread' '' "$many threads" '' "seconds  counts with $many threads"
plain_one='' plain_many=''
for column in plain edges fair atomic; do
    one=$(a_unit $column 1) several=$(a_unit $column "$many")
    plain_one=${plain_one:-$one} plain_many=${plain_many:-$several}
    more() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.1f%%", (a / b - 1) * 100 }'; }
    printf '%-8s %12s %8s %12s %8s  %s\n' $column "$one" "$(more "$one" "$plain_one")" "$several" \
        "$(more "$several" "$plain_many")" "$(wrong $column)"
done
