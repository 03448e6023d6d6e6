#!/usr/bin/env bash
# A traced program that is stopped at any instruction, by a handler that jumps out or ends the
# process, or by a signal, has the line counts that are true (programs/truth.h counts them itself),
# or says that it has not, within its bounds. TRACE_LEVELS: at which levels; TRACE_STEPS: every how
# many instructions.
set -u
cotree=$COTREE_BUILD/cotree programs=$COTREE_TOP/tests/trace/programs
export COTREE_FOLLOWER=off
. "$COTREE_TOP/tests/lib/true_words.sh"
ulimit -c 0
failures=0
"clang-${LLVM:-19}" -w -O2 -mno-red-zone -c "$programs/stepper.c" -o stepper.o || exit 1

# Of reports json.STEP.
words='(input_filename | sub(".*json\\."; "")) as $step | .exact as $e | "exact \($step) \($e)",
    (.files[] | select(.file | endswith($own)) | .lines[] | "line \($step) \(.line) \(.count)"),
    (.functions[] | (.max_error // "-") as $m | [.blocks[].lines[].line] | unique[] | "error \($step) \(.) \($m)")'
stop() { # PROGRAM LEVEL HOW BY LEAST SETS [FLAG]
    local program=$1 level=$2 how=$3 by=${TRACE_STEPS:-$4} least=$5 sets=$6 steps i said check=
    case $sets in *,*) check=--check-sets ;; esac
    rm -rf data; mkdir data
    "$cotree" cc -w "$level" -DTRUTH "-fcotree=$sets" ${7:+"$7"} "$programs/$program.c" stepper.o -o prog \
        2>log || { echo "$program $level: $(head -n 2 log)"; failures=1; return; }
    COTREE=off TRUTH_FILE=data/truth PC_FILE=data/pc ./prog _ 100000000 >output 2>&1
    steps=$(od -An -td8 -j8 -N8 data/pc | tr -d ' ')
    [ "$steps" -gt 100 ] || { echo "$program $level: only $steps steps"; failures=1; return; }
    for ((i = 3; i < steps - 6; i += by)); do
        { TRUTH_FILE=data/truth.$i PC_FILE=data/pc COTREE_FILE=data/file.$i ./prog "$how" "$i" >output \
            2>&1; } 2>log
        said=0
        # shellcheck disable=SC2086
        "$cotree" report $check --format=json -o "data/json.$i" prog "data/file.$i" 2>log || said=$?
        if [ $said != 0 ]; then
            echo "$program $level $how $sets, step $i: report ends with $said: $(head -n 1 log)"
            failures=1
        fi
    done
    true_words data >data/words
    jq -r --arg own "/$program.c" "$words" data/json.* >>data/words
    awk -v name="$program $level $how $sets" -v least="$least" -f "$COTREE_TOP/tests/trace/stopped.awk" \
        data/words || failures=1
}
for level in ${TRACE_LEVELS:--O0 -O1 -O2}; do
    case $level in -O0) by=29 ;; *) by=11 ;; esac
    stop stopped-loops "$level" _ $by 0.8 trace
    stop stopped-calls "$level" _ $by 0.7 trace
    stop stopped-loops "$level" j $((3 * by)) 0.8 trace
    stop stopped-calls "$level" s $((2 * by)) 0.7 trace
    stop stopped-loops "$level" e $((3 * by)) 0.8 trace,every-edge
    stop stopped-returns "$level" _ $((5 * by)) 0.7 trace
    stop stopped-inlined "$level" s $((by / 4)) 0.7 trace,every-edge
    # in a round of a loop it is not known which one it is
    stop stopped-rounds "$level" s $((3 * by)) 0.2 trace
    stop stopped-rounds "$level" s $((2 * by)) 0 trace,every-edge # nor in one that was removed
    stop stopped-calls "$level" _ $((4 * by)) 0 trace -fcotree-witness=packed-bits
done
exit $failures
