#!/usr/bin/env bash
# A program that is stopped at any instruction, by a handler that jumps out or ends the process, by
# a signal or by a fault, has the line counts that are true (it counts them itself), or says that it
# has not, within its bounds. STOPPED_STEPS: every how many instructions.
set -u
cotree=$COTREE_BUILD/cotree programs=$COTREE_TOP/tests/frames/stopped shared=$COTREE_TOP/tests/trace
unset COTREE COTREE_RUN COTREE_FILE
. "$COTREE_TOP/tests/lib/true_words.sh"
ulimit -c 0
failures=0
failed() { echo "$1"; failures=1; }
"clang-${LLVM:-19}" -w -O2 -mno-red-zone -c "$shared/programs/stepper.c" -o stepper.o || exit 1
mkdir data

build() { # PROGRAM "OPTIONS" FILE...
    local program=$1 options=$2
    shift 2
    # shellcheck disable=SC2086
    "$cotree" cc -w $options -DTRUTH -I"$shared/programs" "$programs/$program.c" "$@" -o prog 2>log ||
        { failed "$program $options: $(head -n 2 log)"; return 1; }
}
# Of reports json.STEP.
words='(input_filename | sub(".*json\\."; "")) as $step | .exact as $e | "exact \($step) \($e)",
    (.files[] | select(.file | endswith($own)) | .lines[] |
        "line \($step) \(.line) \(.count) \(.exact) \(.at_least // 0) \(.may_have_run // false)"),
    (.functions[] | (.max_error // "-") as $m | [.blocks[].lines[].line] | unique[] | "error \($step) \(.) \($m)")'
report() { # PROGRAM STEP: of data/file.STEP
    local said=0
    "$cotree" report --format=json -o "data/json.$2" prog "data/file.$2" 2>log || said=$?
    [ $said = 0 ] || failed "$1: report ends with $said: $(head -n 1 log)"
}
say() { # PROGRAM: what the reports say, and what is true (data/truth.STEP)
    true_words data >data/words
    jq -r --arg own "/$1.c" "$words" data/json.* >>data/words
}

step() { # PROGRAM "OPTIONS" HOW STOPS LEAST
    local program=$1 options=$2 how=$3 stops=$4 least=$5 steps i by
    rm -f data/*
    build "$program" "$options" stepper.o || return
    COTREE=off TRUTH_FILE=data/truth PC_FILE=data/pc ./prog _ 100000000 >/dev/null 2>&1
    steps=$(od -An -td8 -j8 -N8 data/pc | tr -d ' ')
    [ "$steps" -gt 200 ] || { failed "$options: only $steps steps"; return; }
    by=${STOPPED_STEPS:-$((steps / stops + 1))}
    for ((i = 2; i < steps - 6; i += by)); do
        { TRUTH_FILE=data/truth.$i PC_FILE=data/pc COTREE_FILE=data/file.$i ./prog "$how" "$i" >/dev/null \
            2>&1; } 2>log
        report "$program" "$i"
    done
    say "$program"
    awk -v name="$program $options $how" -v least="$least" -f "$shared/stopped.awk" data/words || failures=1
    awk '$1 == "truth" { truth[$2, $3] = $4; counts[$3] = 1 } $1 == "line" && $6 > 0 { least[$2, $3] = $6 }
        $1 == "line" && !$4 && $7 == "false" { never[$2, $3] = 1 }
        END {
            for (k in never) if (truth[k]) {
                split(k, at, SUBSEP)
                print "step " at[1] ": line " at[2] " ran " truth[k] " times, and is said not to have run"
                bad = 1
            }
            for (k in least)
                { split(k, at, SUBSEP); if (!counts[at[2]] || least[k] <= truth[k] + 1) continue;
                print "step " at[1] ": line " at[2] " ran " truth[k] + 0 " times, not " least[k] " or more";
                bad = 1 } exit bad }' data/words || failed "$program $options $how"
}
step rounds "-O1 -DTRUTH_ASSEMBLY" _ 25 0.8
step rounds -O2 _ 30 0.8
step rounds "-O2 -DTRUTH_ASSEMBLY" _ 40 0.8
step rounds "-O2 -DTRUTH_ASSEMBLY" j 20 0.8
step rounds -O3 s 25 0.8
step rounds "-O2 -fcotree-durable -DTRUTH_ASSEMBLY" _ 25 0.8
step rounds "-O2 -fcotree=paths" s 25 0
step rounds "-O2 -fcotree=paths -DTRUTH_ASSEMBLY" s 25 0
step rounds "-O2 -flto -fuse-ld=lld" _ 25 0.8
step rounds "-O2 -flto=thin -fuse-ld=lld" s 25 0.8
step uncounted "-O1 -DTRUTH_ASSEMBLY" _ 25 0.8
step uncounted -O2 _ 30 0.8
step uncounted "-O3 -DTRUTH_ASSEMBLY" j 30 0.8
step uncounted "-O2 -flto -fuse-ld=lld" s 25 0.8

# What ends in the middle of a block is there, and no further; nothing has to be declared.
for options in -O1 -O2 "-O3 -fPIC" "-O2 -fcotree-durable" "-O2 -flto -fuse-ld=lld"; do
    build faults "$options" || continue
    for how in l d s b 3 u h L U B o; do
        rm -f data/*
        { TRUTH_FILE=data/truth.0 COTREE_FILE=data/file.0 ./prog $how >/dev/null 2>&1; } 2>log
        report faults 0
        say faults
        awk -v name="faults $options $how" -v source="$programs/faults.c" \
            '$1 == "exact" { exact = $3 } $1 == "truth" { truth[$3] = $4 } $1 == "line" { count[$3] = $4 }
            END {
                for (l in truth) if (!(l in count)) { print name ": line " l " is not there"; bad = 1 }
                for (l in count) if (want[l] && count[l] != truth[l] + 0)
                    { print name ": line " l " ran " truth[l] + 0 " times, not " count[l]; bad = 1 }
                if (exact != "true") { print name ": is not exact"; bad = 1 }
                exit bad
            }
            BEGIN { while ((getline line <source) > 0) { n++; if (line ~ /^ *T;$/) want[n] = 1 }
                if (n < 20) exit 1 }' data/words >wrong || failures=1
        cat wrong
    done
done

# With paths the function is declared, and within its bounds.
build faults "-O2 -fcotree=paths" && for how in l s L; do
    rm -f data/*
    { TRUTH_FILE=data/truth.0 COTREE_FILE=data/file.0 ./prog $how >/dev/null 2>&1; } 2>log
    report faults 0
    say faults
    awk -v name="faults paths $how" -v least=0 -f "$shared/stopped.awk" data/words || failures=1
done

# main had begun, though no counter says so.
rm -f data/*
build at-once -O2 && { TRUTH_FILE=data/truth COTREE_FILE=data/file ./prog >/dev/null 2>&1; } 2>log
"$cotree" report --format=json -o data/json prog data/file
[ "$(od -An -v -td8 -w8 data/truth | awk '{ n += $1 } END { print n }')" = 1 ] ||
    failed "killed at once: the program did something else"
jq -e '.functions[] | select(.name == "main") | (.exact | not) and .max_error >= 1' data/json >/dev/null ||
    failed "killed at once, and main is called exact"
exit $failures
