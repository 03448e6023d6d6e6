#!/usr/bin/env bash
# Lines as people count them: programs whose counts are known, at every level and with every kind of counters.
set -eu
cotree=$COTREE_BUILD/cotree
programs=$COTREE_TOP/tests/lines/programs
export LC_ALL=C
failures=0
failed() { echo "$*"; failures=$((failures + 1)); }

# LINE:COUNT; LINE:- is a line that must not be listed.
declare -A expected=(
    [option-table.c]="4:1 5:1 6:1 11:1 12:1 15:1"
    [branches.c]="4:1 5:10 9:10 10:9 11:1"
    [macro-push.c]="4:0 7:11 8:10 9:10 10:10 12:1"
    [wrapped-condition.c]="3:1500 7:101 8:1700 10:1600 11:1500 13:100 16:1400 17:1400 18:0 21:1"
    [wrapped-calls.c]="4:40 5:20 7:10 8:10 9:10 14:10 15:10 17:10 19:10 21:10"
    [endless-loop.c]="3:0 4:51 5:400 6:400 9:50 10:101 12:1"
    [labels.c]="4:3 6:0 7:0 11:3 13:2 14:1 16:0 17:0 20:3 23:1 28:3 32:2 33:0 38:2 40:0 41:0 47:3 49:2 54:0 57:18"
    [bare-loops.c]="4:4 5:3 7:0 8:0 10:3 12:4 13:6 14:3 16:3 17:0 18:0 19:4 20:3 21:0 24:6 26:1 28:6 30:0 34:4 35:3 36:- 37:4 38:3 39:0 40:0 41:- 42:1 43:1 44:0 46:0 47:1 48:1 49:1 50:0 53:3 54:2 55:1 56:0 62:1 65:2 66:1"
    [case-ranges.c]="2:22 4:22 6:2 7:2 9:0 12:5 13:1 15:16 16:16 18:3 20:4 21:- 23:20 25:0 27:20"
    [goto-cleanup.cpp]="3:2 9:1 10:1 11:1 12:1 14:1"
    [clean-ups.cpp]="5:18 6:18 7:17 8:17 12:4 13:4 14:0 15:4 17:1 18:1 19:1 20:- 21:2 22:2 23:16 24:14 25:2 26:2 27:2 28:2 30:- 31:1 32:1 34:0 36:1 41:1 42:-"
    [handlers.cpp]="5:2 7:6 11:6 12:1 13:5 14:1 15:4 16:2 17:2 18:2 21:1 22:1 25:1 26:1 29:2 30:2 33:0 34:0 37:0 38:0 39:5 40:6 44:1 45:1 46:1 47:1"
    [constraints.cpp]="7:3 9:3 11:3 12:2 13:3 15:3 16:2 17:3 18:2 20:2 21:3 25:2 26:1"
    [instances.cpp]="3:30 6:2 7:2 12:2 13:2 18:2 19:6 20:1 23:11 24:10 29:1"
)
for file in "${!expected[@]}"; do
    case $file in *.cpp) compiler="c++ -std=c++20" ;; *) compiler=cc ;; esac
    for how in -O0 -O2 "-O3 -g" "-O2 -fcotree=paths" "-O2 -fcotree=trace" "-O0 -fcotree=blocks" \
        "-O1 -fprofile-instr-generate"; do
        rm -rf data && mkdir data
        # shellcheck disable=SC2086
        "$cotree" $compiler -w $how "$programs/$file" -o prog
        COTREE_FILE=data/%p.cotree ./prog >out 2>&1 || :
        "$cotree" report --format=json -o json ./prog data 2>log ||
            { failed "$file $how: $(cat log)"; continue; }
        jq -r --arg file "$file" 'if .exact then empty else "not exact: \(.why_not_exact)" end,
            (.files[] | select(.file | endswith("/" + $file)) | .lines[] | "\(.line) \(.count)")' json >lines
        ! grep '^not exact' lines >wrong || failed "$file $how: $(cat wrong)"
        tr ' :' '\n ' <<<"${expected[$file]}" |
            awk 'NR == FNR { got[$1] = $2; next }
                ($1 in got ? got[$1] : "-") != $2 { print $1, $2, $1 in got ? got[$1] : "-" }' lines - >wrong
        while read -r line count got; do
            failed "$file:$line with $how ran $count times, reported: $got"
        done <wrong
        # All formats say the same.
        "$cotree" report --format=lcov ./prog data 2>log |
            awk -F '[:,]' -v file="/$file" \
            '/^SF:/ { own = substr($0, length($0) - length(file) + 1) == file } own &&
                /^DA:/ { print $2, $3 }' >lcov
        cmp -s lines lcov || failed "$file $how: lcov says otherwise"
        "$cotree" report --format=cobertura ./prog data 2>log >xml
        awk -v file="/$file" '/<class / { own = index($0, file "\"") } /<\/methods>/ { body = own }
            /<\/class>/ { own = body = 0 }
            body && match($0,
                /<line number="[0-9]+" hits="[0-9]+"/) { split(substr($0, RSTART, RLENGTH), part, "\"");
                print part[2], part[4] }' xml >cobertura
        cmp -s lines cobertura || failed "$file $how: cobertura says otherwise"
    done
done
[ $failures -eq 0 ] || { echo "$failures failures"; exit 1; }
