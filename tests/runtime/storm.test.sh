#!/usr/bin/env bash
# Frames that handlers of signals leave, whatever they interrupt, jumps that leave frames too, are counted exactly: what was entered has returned
# or was left.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"
build_exec dynamic -O0 -fPIE -pie "$HERE/storm.c"
build_static static -O0 "$HERE/storm.c"
for program in dynamic static; do
    rm -f ./*.cotree
    timeout 120 ./$program 20000 || fail "$program: status $?"
    expect "$program: nothing was lost" "$(field frames_lost ./*.cotree)" 0
    expect "$program: state" "$(states ./*.cotree)" "CLEAN=1"
    { nm $program | sed 's/^/symbol /'; dump ./*.cotree; } | awk '
        function number(hex, i, n) { n = 0; for (i = 1; i <= length(hex); i++) n = 16 * n + index("0123456789abcdef", substr(hex, i, 1)) - 1; return n }
        $1 == "symbol" && $4 ~ /^(entered|left)_t_/ { at[$4] = number($2); next }
        $1 == "symbol" && $3 ~ /^[tT]$/ { begin[$4] = number($2) }
        $1 == "event" {
            place = number($5)
            for (f in wanted) {
                if (place <= begin[f] || place > at["left_" f] + 32) continue
                counted = place > at["entered_" f] && place <= at["left_" f]
                if ($3 == "CUT") { net[f] += $6; if (!counted) print "a call before or behind the body of " f }
                if ($3 == "RESUME") net[f] -= $6
                if ($3 == "CUT_AT") { net[f] += counted * $6; interrupted += $6 }
            }
        }
        $1 == "sum" && $2 == "5001" { for (f in wanted) balance[f] = $(2 * wanted[f] + 3) - $(2 * wanted[f] + 4); entered = $3 }
        BEGIN { wanted["t_deep"] = 0; wanted["t_inner"] = 1; wanted["t_outer"] = 2; wanted["t_handler"] = 3 }
        END {
            for (f in wanted) if (balance[f] != net[f]) print f ": " balance[f] " did not return, " net[f] " were recorded"
            if (interrupted < 100 || entered < 100000) print "no storm: " interrupted " interrupted, " entered " entered"
        }' >wrong
    [ ! -s wrong ] || { cat wrong; fail "$program"; }
done
