#!/usr/bin/env bash
# A C++ program that a signal kills at any instruction has the counts that a counter on every edge has, by
# fewer counters and by its trace, or says where it has not: report --check-sets ends with 0.
# STOPPED_TEMPLATES: at how many instructions of each build.
set -u
cotree=$COTREE_BUILD/cotree programs=$COTREE_TOP/tests/frames/stopped
unset COTREE COTREE_RUN COTREE_FILE
export COTREE_FOLLOWER=off
ulimit -c 0
failures=0
"clang-${LLVM:-19}" -w -O2 "$programs/at.c" -o at || exit 1

# addresses OBJECT PROGRAM: of the instructions that come from the object.
addresses() {
    "llvm-nm-${LLVM:-19}" "$1" | awk '$2 ~ /^[tTwW]$/ { print $3 }' >functions
    "llvm-objdump-${LLVM:-19}" -d --no-show-raw-insn "$2" | awk '
        NR == FNR { counted[$1] = 1; next }
        /^[0-9a-f]+ <.*>:$/ { name = $2; gsub(/[<>:]/, "", name); next }
        counted[name] && $1 ~ /^[0-9a-f]+:$/ { sub(":", "", $1); print $1 }' functions -
}
stop() { # LEVEL SETS STOPS LEAST
    local level=$1 sets=$2 stops=${STOPPED_TEMPLATES:-$3} least=$4 address times said exact=0 all=0
    "$cotree" c++ -w "$level" "-fcotree=$sets" -c "$programs/templates.cpp" -o templates.o &&
        "$cotree" c++ "-fcotree=$sets" templates.o -o prog || { failures=1; return; }
    addresses templates.o prog >list
    [ "$(wc -l <list)" -gt 500 ] || { echo "$level: only $(wc -l <list) instructions"; failures=1; return; }
    for address in $(awk -v by=$(($(wc -l <list) / stops + 1)) 'NR % by == 1 % by' list); do
        times=$((1 + 0x$address % 3))
        rm -f data data-events json
        COTREE_FILE=$PWD/data ./at 15 "$address" $times ./prog >output 2>&1
        said=$?
        [ $said = 3 ] && continue
        if [ "$(tail -n 1 output)" != "signal 15" ]; then
            echo "$level, $address: $(tail -n 1 output)"
            failures=1
        fi
        said=0
        "$cotree" report --check-sets --format=json -o json prog data 2>log || said=$?
        if [ $said != 0 ]; then
            echo "$level $sets, $address, time $times: report ends with $said: $(grep -m 1 difference log)"
            failures=1
        fi
        all=$((all + 1))
        grep -q '"exact":true' json 2>log && exact=$((exact + 1))
    done
    echo "$level $sets: $exact of $all exact"
    [ $all -gt $((stops / 4)) ] && [ $((100 * exact)) -ge $((least * all)) ] || failures=1
}
stop -O0 trace,every-edge 30 80
stop -O1 trace,every-edge 80 80
stop -O2 trace,every-edge 120 80
stop -O3 trace,every-edge 80 80
stop -O2 edges,every-edge 80 70
stop -O2 edges,trace 80 70
exit $failures
