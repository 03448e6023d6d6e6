#!/usr/bin/env bash
# A pool that was cut short, or damaged otherwise, never harms the program that finds it; its own
# counts are kept.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"
build_exec prog "$HERE/pool.c"
build_exec many -DWORDS=2000 "$HERE/pool.c"
"$CLANG" $CFLAGS_TEST "$HERE/start_many.c" -o start_many
export COTREE_FILE=%m
unset -v COTREE
for program in prog many; do
    rm -f ./*.cotree
    ./start_many 150 ./$program # two tables, 15 killed
    file=$(ls $program.*.cotree)
    cp "$file" whole
    size=$(stat -c %s whole)
    for length in 0 1 100 4096 5000 8192 12288 16384 40960 $((size / 2)) $((size - 4096)) $((size - 1)); do
        rm -f ./*.cotree
        head -c "$length" whole >"$file"
        timeout 600 ./$program 1 3 || fail "$program: cut to $length: status $?"
        # In the pool, or in one beside it: our counts are somewhere.
        dump $program.*.cotree >shown 2>&1 || { rm "$file"; dump $program.*.cotree >shown; }
        set -- $(sed -n 's/^sum 6001 //p' shown)
        [ "${1:-0}" -ge 1000 ] && [ "${2:-0}" -ge 3 ] || fail "$program: cut to $length: counts $*"
    done
    # Single words spoiled, all over the first pages.
    for seed in $(seq 60); do
        rm -f ./*.cotree
        cp whole "$file"
        for k in 1 2 3; do
            at=$(((seed * 7919 + k * 104729) % 1536 * 8))
            printf '\377\001\200\377\020\001\377\177' | dd of="$file" bs=1 seek=$at conv=notrunc status=none
        done
        timeout 600 ./$program 1 3 || fail "$program: spoiled $seed: status $?"
    done
done
