#!/usr/bin/env bash
# No reader crashes, hangs or leaks on its seeds and a few thousand mutations of them (`make fuzz` looks for longer).
set -eu
found=0
for source in "$COTREE_TOP"/fuzz/*.c; do
    target=$(basename "$source" .c)
    mkdir "$target"
    "$COTREE_BUILD/fuzz/$target" -runs=3000 -seed=1 -max_total_time=8 -rss_limit_mb=2048 -timeout=5 -artifact_prefix="$PWD/$target/" \
        "$target" "$COTREE_TOP/fuzz/corpus/$target" >"$target.log" 2>&1 || { tail -40 "$target.log"; exit 1; }
    grep -q 'Done [0-9]* runs' "$target.log"
    found=$((found + 1))
done
[ "$found" -ge 3 ]
