#!/usr/bin/env bash
# Calls that return twice: two of them in one block, __builtin_setjmp, those that clang was not to
# know (-fno-builtin, -ffreestanding), an invoke. Programs print what plain ones do, with
# COTREE=off, too; lines by counters, paths and trace are those that a counter of their own on each
# line found; or, for a function that cannot be traced or counters that see no such jump, the
# profile says so.
set -eu
export COTREE_FOLLOWER=off
: "${LLVM:=19}"
cotree=$COTREE_BUILD/cotree here=$COTREE_TOP/tests/trace/programs
. "$COTREE_TOP/tests/lib/build_once.sh"
fail() { echo "$*" >&2; exit 1; }

check() { # SOURCE KIND MAY-DECLARE FLAG...
    local source=$1 kind=$2 may=$3 driver=cc clang=clang-$LLVM lines exact
    shift 3
    case $source in *.cpp) driver=c++ clang=clang++-$LLVM ;; esac
    rm -f ./*.cotree* truth
    build_once plain "$clang" -w "$@" "$here/$source"
    build_once counted "$clang" -w -O0 -DTRUTH "$here/$source"
    "$cotree" $driver -w -fcotree=$kind "$@" "$here/$source" -o prog
    ./plain >plain.out
    COTREE=off ./prog >off.out || fail "$source, $kind, $*: it fails when nothing is recorded"
    cmp plain.out off.out || fail "$source, $kind, $*: another output when nothing is recorded"
    ./prog >out || fail "$source, $kind, $*: it fails"
    cmp plain.out out || fail "$source, $kind, $*: another output"
    TRUTH_FILE=truth ./counted | cmp - out || fail "$source: counting lines changes it"
    "$cotree" report --format=json prog prog.*.cotree >report.json
    exact=$(jq .exact report.json)
    [ "$exact" = true ] || [ "$may" = may ] || fail "$source, $kind, $*: $(jq -c .why_not_exact report.json)"
    [ "$exact" = false ] && return
    "$cotree" report --format=lcov prog prog.*.cotree | sed -n 's/^DA:\([0-9]*\),\([0-9]*\).*/\1 \2/p' |
        sort -u >lines
    od -An -v -td8 -w8 truth | awk '$1 { print NR - 1, $1 }' >wanted
    [ -s wanted ] || fail "$source: no line ran"
    grep -q 'it cannot be traced' report.json || may=not # then its lines are not listed
    awk -v may=$may -v what="$source, $kind, $*" 'FNR == NR { count[$1] = $2; next }
        may == "may" && !($1 in count) { next }
        count[$1] != $2 { print what ": line " $1 " ran " $2 " times, not " count[$1]; wrong = 1 }
            END { exit wrong }' lines wanted >&2
}

for level in 0 2; do
    for kind in edges paths trace; do
        check two_setjmps.c $kind not -O$level
        for flag in -fbuiltin -fno-builtin -ffreestanding; do
            check unknown_returns.c $kind not -O$level $flag
        done
        may=not
        [ $kind = trace ] || may=may # counters do not see __builtin_longjmp, and say so
        check builtin_setjmp.c $kind $may -O$level
        check two_builtin_setjmps.c $kind $may -O$level
        check builtin_setjmp_handler.c $kind $may -O$level
        check invoked_setjmp.cpp $kind may -O$level
    done
done
