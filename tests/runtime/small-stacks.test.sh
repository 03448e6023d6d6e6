#!/usr/bin/env bash
# Handlers on alternate stacks that are hardly larger than the kernel's frame jump, end and go on as in
# a plain program (the runtime needs less than half a KB of theirs), and are counted; with too little
# even so the program dies, and does not hang. Traces say of some ends that they are not exact (a thread
# that waits in the kernel); what the handler did is in them all the same.
set -u
clang=clang-${LLVM:-19}
cotree=$COTREE_BUILD/cotree
fail() { echo "$*" >&2; failures=$((failures + 1)); }
failures=0 held=0
source=$COTREE_TOP/tests/runtime/small_stacks.c
"$clang" -O1 -Wl,-z,now "$source" -o plain || exit 1
# run PROGRAM WORDS...: the status and what it prints; no core is left.
run() {
    (ulimit -c 0; COTREE_FILE=$PWD/run.cotree timeout -s KILL 60 "./$@"; echo "status $?") 2>/dev/null
}
for options in -fcotree=edges -fcotree=trace "-fcotree=edges -fcotree-durable -static"; do
    # shellcheck disable=SC2086
    "$cotree" cc -O1 $options -Wl,-z,now "$source" -o prog || exit 1
    for ending in jump _exit quick_exit exec no-exec vfork none; do
        for thread in "" thread; do
            rm -f run.cotree*
            # shellcheck disable=SC2086
            is=$(run prog $ending 512 $thread) wanted=$(run plain $ending 512 $thread)
            [ "$is" = "$wanted" ] || fail "$options $ending $thread: '$is', plain '$wanted'"
            "$cotree" report --format=json prog run.cotree >json 2>said || fail "no report: $(cat said)"
            case $ending in jump | no-exec | vfork | none) times=20 ;; *) times=1 ;; esac
            jq -e --argjson times $times '(.exact or .mode == "trace") and
                [.functions[] | select(.name == "leave") | .entries] == [$times]' json >/dev/null ||
                fail "$options $ending $thread: $(jq -c '.exact, .why_not_exact' json)"
            held=$((held + 1))
        done
    done
    # Too little even so: whatever it does, it ends.
    for extra in 0 64 192; do
        for ending in jump vfork quick_exit; do
            is=$(run prog $ending $extra)
            case $is in *"status 137"*) fail "$options $ending with $extra bytes: it hangs" ;; esac
        done
    done
done
[ $held -eq 42 ] || fail "$held of 42 were looked at"
[ $failures -eq 0 ]
