#!/usr/bin/env bash
# Processes killed at any moment, while they start too, leave files that can be read and pools that
# can be used.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"
"$CLANG" $CFLAGS_TEST "$HERE/kill_many.c" -o kill_many
build_exec pool "$HERE/pool.c"
build_exec pic -DHANDMADE_PIC "$HERE/pool.c"
for program in pool pic; do
    export COTREE_FILE=%m
    ended=0
    for seed in 1 2 3 4 5; do
        more=$(./kill_many 80 $seed ./$program 1 2)
        ended=$((ended + more))
        dump $program.*.cotree >shown || fail "$program: the pool cannot be read"
    done
    [ "$ended" -lt 400 ] || fail "nobody was killed"
    set -- $(sum 6001 $program.*.cotree)
    runs=$(field runs $program.*.cotree) clean=$(field clean $program.*.cotree)
    [ "${1:-0}" -ge $((ended * 1000)) ] || fail "$program: $ended ended, but there are $1 counts"
    [ "${1:-0}" -le $((runs * 1000)) ] || fail "$program: $runs runs, but there are $1 counts"
    [ "$clean" -ge "$ended" ] || fail "$program: $ended ended, but $clean are clean"
    # The pool still works.
    before=${1:-0}
    ./$program 1
    set -- $(sum 6001 $program.*.cotree)
    expect "$program: after all that" "$1" $((before + 1000))

    # Files of their own: each can be read, or is still empty.
    export COTREE_FILE=own/%e.%p.cotree
    rm -rf own; mkdir own
    ./kill_many 80 7 ./$program 1 2 >/dev/null
    for f in own/*; do
        if [ -s "$f" ] && ! head -c 8 "$f" | cmp -s - <(printf '\0\0\0\0\0\0\0\0'); then
            dump "$f" >shown || fail "$f cannot be read"
        fi
    done
done
