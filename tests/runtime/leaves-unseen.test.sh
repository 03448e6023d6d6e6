#!/usr/bin/env bash
# Frames that are left where neither the unwinder nor a walk comes by: threads that end behind code
# without frame information, contexts that signal handlers change, children on stacks of their own.
# Lines have the counts that a plain build of the program counts itself, or are declared.
set -eu
here=$COTREE_TOP/tests/runtime/leaves cotree=$COTREE_BUILD/cotree
flags="-O1 -g -w -D_GNU_SOURCE -I$here -I$COTREE_TOP/tests/runtime/jumps -pthread"
. "$COTREE_TOP/tests/lib/true_lines.sh"

"clang-$LLVM" -O2 -fno-asynchronous-unwind-tables -fno-unwind-tables -c "$here/without-tables.c" \
    -o without-tables.o
for mode in edges paths trace; do
    # With a frame pointer the walk finds the caller; without, only traces know who is left.
    build through through.c -fcotree=$mode without-tables.o
    for end in exit cancel; do
        judge exact through.c through stack $end
        case $mode in
        trace) judge exact through.c through tables $end ;;
        *) judge declared through.c through tables $end ;;
        esac
        judge exact through.c through stack $end first
    done
done
for mode in edges paths; do
    build forced forced.c -fcotree=$mode -fexceptions
    judge declared forced.c forced
done
for mode in edges paths trace; do
    build redirect redirect.c -fcotree=$mode
    judge exact redirect.c redirect skip
    for way in thread jump end; do
        judge declared redirect.c redirect $way
        "$cotree" report ./redirect ./*.cotree >text
        [ $mode != trace ] || grep -q 'a signal handler made it go on elsewhere' text ||
            fail "another reason: $(sed -n 1,3p text)"
    done
done
for mode in edges paths trace; do
    build spawn spawn.c -fcotree=$mode
    for way in exit return execute try; do
        judge exact spawn.c spawn $way
    done
    for way in fault kill; do
        judge declared spawn.c spawn $way
    done
done

# Nothing but counted ends tells of this one (docs/runtime.md, known gaps).
build instruction instruction.c -fcotree-durable
judge declared instruction.c instruction
"$cotree" report --format=json ./instruction ./*.cotree |
    jq -e '[.functions[] | select(.name == "leave" or .name == "run")] | length == 2 and
        all((.exact | not) and .max_error > 0)' >/dev/null || fail "a function that a thread left by an instruction is not declared"
