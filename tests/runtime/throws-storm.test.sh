#!/usr/bin/env bash
# Signals that come while an exception is on its way: their handlers end the process, jump out, or
# use the unwinder, too. No frame is counted twice or not at all; where the unwinder was changing
# stacks that moment, the loss is said.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"
CLANG=${CLANG/clang/clang++}
build_exec dynamic -g "$HERE/throws_storm.cpp"
build_static static -g "$HERE/throws_storm.cpp"

left() { # PATTERN FUNCTION: how often it was left, by events of these kinds
    tr ';' '\n' <events.words |
        awk -v kinds="$1" -v name="$2" '$1 ~ kinds && $2 == name { n += $3 } END { print n + 0 }'
}
storm() { # PROGRAM HOW RUNS
    local run exact=0
    for run in $(seq "$3"); do
        rm -f ./*.cotree
        timeout 600 "./$1" "$2" $((100 + run * 37)) || fail "$1 $2: status $?"
        if [ "$(field frames_lost ./*.cotree)" != 0 ]; then continue; fi
        exact=$((exact + 1))
        events "$1" ./*.cotree >events.words
        # entries of t_throw, t_between, t_clean and t_catch, returns of t_catch
        read -r throw between clean catch returned < <(sum 6004 ./*.cotree)
        expect "$1 $2 $run: t_throw" "$(left . t_throw)" "$throw"
        expect "$1 $2 $run: t_between" "$(left . t_between)" "$between"
        [ "$2" != use ] || expect "$1 $2 $run: t_clean" "$(left UNWIND t_clean)" "$clean"
        expect "$1 $2 $run: t_catch" "$(left CUT t_catch)" $((catch - returned))
    done
    [ $((4 * exact)) -ge $((3 * $3)) ] || fail "$1 $2: only $exact of $3 runs are exact"
}
storm dynamic exit 40
storm dynamic jump 20
storm dynamic use 4
# In a static program the unwinder has a lock: nobody may jump out, or use it twice.
storm static exit 40
