#!/usr/bin/env bash
# Jumps that could pass the runtime by: found by name, bound to the C library by RTLD_DEEPBIND or
# dlmopen, written in assembly, made by the compiler in code without counters. Lines have the counts
# that a plain build of the program counts itself, or are declared, with a bound that covers the
# difference.
set -eu
here=$COTREE_TOP/tests/runtime/jumps cotree=$COTREE_BUILD/cotree
flags="-O1 -g -w -D_GNU_SOURCE -I$here"
. "$COTREE_TOP/tests/lib/true_lines.sh"

for mode in edges paths durable trace; do
    case $mode in durable) option=-fcotree-durable ;; *) option=-fcotree=$mode ;; esac

    build lookup lookup.c $option
    for way in handle siglongjmp version next default lookup; do
        judge exact lookup.c lookup $way
    done

    build assembly assembly.c $option
    case $mode in trace) judge exact assembly.c assembly ;; *) judge declared assembly.c assembly ;; esac

    # Over a function of the host, by a library without counters.
    build host host.c $option
    "clang-$LLVM" $flags -shared -fPIC "$here/lib.c" -o lib.so
    for way in deep lazy list; do
        judge declared host.c host $way
    done
    [ $mode = trace ] || judge exact host.c host plain

    # By one with counters, in itself.
    "$cotree" cc $flags $option -shared -fPIC "$here/lib.c" -o lib.so
    [ $mode = trace ] || for way in deep list; do judge declared host.c host $way; done
done

# Nothing but counted ends tells of this one (docs/runtime.md, known gaps).
"clang-$LLVM" -O0 -c "$here/builtin-plain.c" -o plain.o
"$cotree" cc $flags -fcotree-durable -c "$here/builtin.c" -o builtin.o
"$cotree" cc builtin.o plain.o -o builtin
"clang-$LLVM" $flags -DTRUTH "$here/builtin.c" plain.o -o builtin.plain
judge declared builtin.c builtin
