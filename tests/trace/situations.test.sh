#!/usr/bin/env bash
# What programs do in hard situations is what they do without a trace, and the trace is exact: its
# counts are those of a counter on every edge, in every process. Code before main and after it,
# objects that end with threads, handlers in handlers, fork in handlers, clone, deep recursion,
# control that comes back to code which is not traced.
set -eu
export COTREE_FOLLOWER=off
: "${LLVM:=19}"
cotree=$COTREE_BUILD/cotree here=$COTREE_TOP/tests/trace/programs
fail() { echo "$*" >&2; exit 1; }

check() { # WHAT PROCESSES PROGRAM [ARGUMENT...]
    local what=$1 processes=$2 program=$3 file wanted=0 status=0
    shift 3
    rm -f ./*.cotree*
    ./plain-$program "$@" >plain.out || wanted=$?
    ./$program "$@" >out || status=$?
    [ $status = $wanted ] || fail "$what: status $status, not $wanted"
    cmp plain.out out || fail "$what: another output"
    for file in $program.*.cotree; do
        "$cotree" report --check-sets --format=json $program "$file" >report.json 2>messages ||
            fail "$what: $(cat messages)"
        grep -q difference messages && fail "$what: $(cat messages)"
        jq -e .exact report.json >/dev/null || fail "$what, $file: $(jq -c .why_not_exact report.json)"
        "$cotree" trace $program "$file" | grep -q 'complete: nothing that was written is lost' ||
            fail "$what: not complete"
        processes=$((processes - 1))
    done
    [ $processes = 0 ] || fail "$what: $processes processes more were to leave a file"
}

"clang++-$LLVM" -O1 -c "$here/untraced.cpp" -o untraced.o
for level in 0 2; do
    for program in situations.c lifetimes.cpp coming_back.cpp; do
        driver=cc clang=clang-$LLVM object=
        case $program in *.cpp) driver=c++ clang=clang++-$LLVM object=untraced.o ;; esac
        "$clang" -O$level -w "$here/$program" $object -pthread -o plain-${program%.*}
        "$cotree" $driver -O$level -w -fcotree=trace,every-edge "$here/$program" $object -pthread \
            -o ${program%.*}
    done
    for case in 'r 1' 'e 1' 'q 1' '_ 1' 'n 1' 'f 5' 'c 4' 's 1' 'd 1'; do
        check "situation ${case% *}, -O$level" "${case#* }" situations "${case% *}"
    done
    check "objects, -O$level" 1 lifetimes
    check "objects and exit, -O$level" 1 lifetimes x
    check "coming back, -O$level" 1 coming_back
done

# Under valgrind, which makes of vfork a fork, the same happens.
if command -v valgrind >/dev/null; then
    count_blocks() { # sets `blocks` to the number of blocks of all processes, which must be exact
        local file
        blocks=0
        for file in jumps.*.cotree; do
            "$cotree" report --format=json jumps "$file" | jq -e .exact >/dev/null ||
                fail "$1: $file is not exact"
            blocks=$((blocks + $("$cotree" trace --export=blocks jumps "$file" | grep -vc thread)))
        done
    }
    echo 'int call_back(int (*f)(int), int argument) { return f(argument); }' |
        "clang-$LLVM" -O1 -x c -c - -o called.o
    "$cotree" cc -O1 -w -fcotree=trace "$here/jumps.c" called.o -o jumps
    rm -f ./*.cotree*
    ./jumps >plain.out
    count_blocks plainly
    wanted=$blocks
    rm -f ./*.cotree*
    valgrind -q --tool=none ./jumps >out
    cmp plain.out out
    count_blocks 'under valgrind'
    [ $blocks = "$wanted" ] || fail "under valgrind: $blocks blocks, not $wanted"
else
    echo "skipped: no valgrind"
fi
