#!/usr/bin/env bash
# Threads count exactly however they start and end, in dynamic and static programs.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"

build_exec pie -fPIE -pie "$HERE/threads.c"
build_exec nopie -fno-pie -no-pie "$HERE/threads.c"
build_exec lld -fPIE -pie -fuse-ld=lld "$HERE/threads.c"
build_static static "$HERE/threads.c"
build_static staticpie -static-pie -fPIE "$HERE/threads.c"
build_exec pic -fPIE -pie -DHANDMADE_PIC "$HERE/threads.c"
build_exec large -fPIE -pie -DCOUNTERS_N=100000 "$HERE/threads.c"
build_static largestatic -DCOUNTERS_N=100000 "$HERE/threads.c"

check() { # program kind threads counts: exact, one clean run, no loss
    rm -f ./*.cotree
    "./$1" "$2" "$3" "$4" || fail "$*: failed"
    local keys=0; [ "$2" = key ] && keys=$3
    expect "$*" "$(sum 2001 "$1".*.cotree)" "$3 $(($3 * $4)) $3 $keys"
    local flags=0; [ "$2" = cancel ] && flags=1024 # DATA_FLAG_CANCELLED
    expect "$*: flags" "$(field flags "$1".*.cotree)" $flags
    expect "$*: clean" "$(field clean "$1".*.cotree)" 1
    case $(states "$1".*.cotree) in *USED*) fail "$*: $(states "$1".*.cotree)" ;; esac
}

for program in pie nopie lld static staticpie pic large largestatic; do
    for kind in pthread thrd timer small own detached cancel key; do
        # its stacks hold them
        case $program-$kind in large*-own) check "$program" "$kind" 1 3; continue ;; esac
        check "$program" "$kind" 8 1000
    done
    check "$program" alive 8 10
    check "$program" pthread 8 2000000
done

# The default stack is small: it is made larger.
(ulimit -s 256; for kind in pthread thrd timer; do check large $kind 8 100; done)

# Ten thousand threads one after another need one block more than one.
for program in pie static pic; do
    WAVE=1 check "$program" pthread 10000 5
    blocks=$(dump "$program".*.cotree | grep -c ^slot)
    [ "$blocks" -le 2 ] || fail "$program: $blocks blocks for 10000 threads in sequence"
done
WAVE=100 check pie pthread 1000 5

"${CLANG/clang/clang++}" $CFLAGS_TEST -c "$HERE/std_thread.cpp" -o std_thread.o
"${CLANG/clang/clang++}" "$RUNTIME/runtime-exec.o" std_thread.o "${EXEC_FLAGS[@]}" -o std_thread
./std_thread
expect std::thread "$(sum 2003 std_thread.*.cotree)" "9000 1"
