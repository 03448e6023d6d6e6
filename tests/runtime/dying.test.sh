#!/usr/bin/env bash
# Whatever a program dies of, its parent sees what it sees of a plain program, core flag included,
# and the frames that never returned are in the file.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"
"$CLANG" $CFLAGS_TEST "$HERE/wait_status.c" -o wait_status
"$CLANG" $CFLAGS_TEST -g -DPLAIN -Wno-infinite-recursion "$HERE/dying.c" -o plain
flags="-g -Wno-infinite-recursion"
build_exec dynamic $flags "$HERE/dying.c"
build_static static $flags "$HERE/dying.c"
build_exec pic $flags -DHANDMADE_PIC "$HERE/dying.c"
ulimit -s 1024

run() { ./wait_status "$@" 2>/dev/null | tr '\n' ' '; rm -f core core.*; }

check() { # wait_status' options and how to die; frames
    local options=$1 how=$2 wanted=$3 program
    local same; same=$(run $options ./plain "$how")
    case $same in *"status 0"* | *"status 99"*) fail "plain $how does not die: $same" ;; esac
    for program in dynamic static pic; do
        rm -f ./*.cotree
        expect "$program $options $how: what its parent sees" "$(run $options ./$program "$how")" "$same"
        case $wanted in
        unknown) expect "$program $how: state" "$(states ./$program.*.cotree)" "USED=1"; continue ;;
        esac
        expect "$program $how: frames" \
            "$(events ./$program ./$program.*.cotree | sed 's/CUT t_overflow [0-9]*/CUT t_overflow N/')" \
            "$wanted"
        case $(states ./$program.*.cotree) in
        SIGNALLED=1 | SIGNALLED=2) ;;
        *) fail "$program $how: state $(states ./$program.*.cotree)" ;;
        esac
        expect "$program $how: runs" \
            "$(field signalled ./$program.*.cotree) $(field frames_lost ./$program.*.cotree)" "1 0"
    done
}

at_call="CUT main 1; CUT t_leaf 1; CUT t_middle 1"
at_instruction="CUT main 1; CUT t_middle 1; CUT_AT t_leaf 1"

# With and without a core file.
for limit in 0 unlimited; do
    ulimit -c $limit 2>/dev/null || continue
    for number in 1 2 3 4 5 6 7 8 10 11 12 13 14 15 16 24 25 26 27 29 30 31 34 50 64; do
        check "" $number "$at_call"
    done
    for how in null divide illegal privileged; do
        check "" $how "$at_instruction"
    done
    ulimit -S -c 0
done
for how in raise-6 raise-11 raise-15 raise-35 pipe alarm abort assert size suspend oneshot-raise own-default \
    abort-handled abort-ignored replaced; do
    check "" $how "$at_call"
done
for how in trap bus cpu oneshot; do
    check "" $how "$at_instruction"
done

# From elsewhere.
for number in 2 15 10; do
    check "-s $number" pause "$at_call"
    check "-s $number" read "$at_call"
    check "-s $number" loop "$at_instruction"
done

# Stacks that are too small, on the first thread and on another.
check "" overflow "CUT main 1; CUT t_leaf 1; CUT t_middle 1; CUT t_overflow N; CUT_AT t_overflow 1"
check "" thread-overflow \
    "CUT main 1; CUT t_leaf 1; CUT t_middle 1; CUT t_overflow N; CUT t_thread 1; CUT_AT t_overflow 1"
check "" thread-overflow-handled \
    "CUT main 1; CUT t_leaf 1; CUT t_middle 1; CUT t_overflow N; CUT t_thread 1; CUT_AT t_overflow 1"
check "" thread-null "$at_call; CUT_AT t_thread 1"
check "" thread-trap "$at_call; CUT_AT t_thread 1"
for how in thread-abort thread-raise; do
    check "" $how "$at_call; CUT t_thread 1"
done

# The kernel asks nobody when a blocked signal is a fault: the file says that the frames are not known.
check "" blocked unknown

# Children that share our memory, or have a copy that nobody told us of, die alone.
for how in vfork rawfork; do
    for program in dynamic static pic; do
        rm -f ./*.cotree
        expect "$program $how" "$(run ./$program $how)" "$(run ./plain $how)"
        expect "$program $how: state" "$(states ./$program.*.cotree) $(field signalled ./$program.*.cotree)" \
            "CLEAN=1 0"
    done
done

# Off is off: the kernel has no handler.
cat >caught.c <<'SOURCE'
#include <stdio.h>
#include <string.h>
int main(void)
{
    char line[256];
    FILE *status = fopen("/proc/self/status", "r");
    while (fgets(line, sizeof line, status) != NULL)
        if (strncmp(line, "SigCgt", 6) == 0)
            fputs(line, stdout);
    return 0;
}
SOURCE
PATH=$COTREE_BUILD:$PATH
cotree cc caught.c -o caught
case $(./caught) in *0000000000000000) fail "no handlers are there" ;; esac
expect "COTREE=off" "$(COTREE=off ./caught | tr -d 'SigCgt:[:space:]')" 0000000000000000
