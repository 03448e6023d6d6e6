#!/usr/bin/env bash
# Nothing that a landing pad needs stands before the place where the exception lands. LLVM before 20
# moves sums of two phis there, and spills beside them; counts of paths must not give it such sums.
# Read off the assembly of random C++ programs: between the label of a block and the label that the
# exception table names in it, there is no instruction.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
random=$COTREE_TOP/tests/stress/programs
"$clang" -std=gnu17 -O1 -w "$random/generate.c" -o generate
pads=0
for number in 60045 60028 60072 1 2 3 4 5; do
    ./generate c++ $number >prog.cc
    for options in "-O3 -fcotree=paths" "-O2 -fPIC -fcotree=paths" "-O2 -fcotree=trace" \
        "-O2 -fcotree=crash"; do
        # shellcheck disable=SC2086
        cotree c++ -std=c++20 -w -I"$random" $options -mllvm -inline-threshold=3000 -S prog.cc -o prog.s
        awk -v name="program $number $options" '
            FNR == 1 { part++ }
            part == 1 && /\.uleb128 \.Ltmp[0-9]+-\.Lfunc_begin.*jumps to/ {
                sub(/-.*/, "", $2)
                lands[$2] = 1
            }
            part == 1 { next }
            /^\.LBB/ { block = $1; code = "" }
            /^\t[a-z]/ && !/^\t\./ && code == "" { code = $0 }
            /^\.Ltmp[0-9]+:/ {
                label = substr($1, 1, length($1) - 1)
                if (!(label in lands)) next
                pads++
                if (code != "") { print name ": before " label " in " block code; bad = 1 }
            }
            END { print pads + 0 >"pads"; exit bad }' prog.s prog.s
        pads=$((pads + $(cat pads)))
    done
done
[ "$pads" -ge 100 ] || die "only $pads landing pads were looked at"
