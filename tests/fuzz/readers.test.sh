#!/usr/bin/env bash
# No reader crashes, hangs or leaks on its seeds and a few thousand mutations of them (`make fuzz`
# looks for longer).
set -eu
# Seeds are still read, and merged files among them have chunks of every type.
for target in places_section profile_file; do
    FUZZ_SEEDS=1 "$COTREE_BUILD/fuzz/$target" "$COTREE_TOP/fuzz/corpus/$target"/* >seeds.log 2>&1 ||
        { echo "$target: a seed is refused (fuzz/seeds/make makes them anew)"; tail -20 seeds.log; exit 1; }
done
for seed in "$COTREE_TOP"/fuzz/corpus/profile_file/*; do
    # the table: 16 bytes at 64, then 32 for each chunk, the type first
    if [ "$(head -c 6 "$seed")" = cotree ]; then
        chunks=$(od -An -tu4 -j72 -N4 "$seed")
        od -An -v -tu4 -w32 -j80 -N$((chunks * 32)) "$seed" | awk '{ print $1 }'
    fi
done | sort -nu | tr '\n' ' ' >types
[ "$(cat types)" = "$(sed -n 's/^    CHUNK_[A-Z]* = \([0-9]*\),$/\1/p' \
    "$COTREE_TOP/src/format/profile/profile.c" | tr '\n' ' ')" ] ||
    { echo "chunks of types $(cat types)"; exit 1; }
found=0
for source in "$COTREE_TOP"/fuzz/*.c; do
    target=$(basename "$source" .c)
    mkdir "$target"
    "$COTREE_BUILD/fuzz/$target" -runs=3000 -seed=1 -max_total_time=8 -rss_limit_mb=2048 -timeout=5 \
        -artifact_prefix="$PWD/$target/" \
        "$target" "$COTREE_TOP/fuzz/corpus/$target" >"$target.log" 2>&1 || { tail -40 "$target.log"; exit 1; }
    grep -q 'Done [0-9]* runs' "$target.log"
    found=$((found + 1))
done
[ "$found" -ge 3 ]
