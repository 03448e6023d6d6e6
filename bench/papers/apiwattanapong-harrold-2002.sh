#!/usr/bin/env bash
# Apiwattanapong & Harrold, "Selective path profiling", 2002: Figures 6 and 7, and the space that is
# saved, on all functions of the programs. Plans
# only: graphs come from the maps of builds that count edges. Then what the paper leaves open, on
# the programs' work: probes that would have been executed by each numbering (executed.c, from a
# profile of all paths), and instructions of builds that watch some paths (bench/chosen.sh). Run by
# bench/papers/run.
set -eu
. "$(cd "$(dirname "$0")" && pwd)/../../tests/programs/lib.sh"
selective=$COTREE_BUILD/bench/papers/selective
trees=$PROGRAMS_CACHE/bench
results=$out/apiwattanapong-harrold-2002
mkdir -p "$results"
make --no-print-directory -s -C "$top" B="$COTREE_BUILD" "$selective"
missing=
for name in $names; do
    for file in $(program_files "$name"); do
        [ -e "$trees/edges/$name/$file" ] || missing="$missing $name"
    done
done
if [ -n "$missing" ]; then
    "$top/bench/run" --programs="$(echo $missing | tr ' ' '\n' | sort -u | paste -sd,)" --columns=edges \
        --jobs="$jobs" --no-compile >/dev/null
fi
for name in $names; do
    files=
    for file in $(program_files "$name"); do files="$files $trees/edges/$name/$file"; done
    # shellcheck disable=SC2086
    key=$(cat "$selective" $files | sha256sum)
    if [ "$(cat "$results/$name.key" 2>/dev/null)" != "$key" ]; then
        # shellcheck disable=SC2086
        "$selective" $files >"$results/$name.tsv"
        echo "$key" >"$results/$name.key"
    fi
done
for name in $names; do sed "s/^/$name\t/" "$results/$name.tsv"; done >"$results/all.tsv"
awk -f "$top/bench/papers/apiwattanapong-harrold-2002.awk" "$results/all.tsv" \
    >"$out/apiwattanapong-harrold-2002.md"

# What the paper leaves open. Of several programs of a package the first.
executed=$COTREE_BUILD/bench/papers/executed
make --no-print-directory -s -C "$top" B="$COTREE_BUILD" "$executed"
"$top/bench/chosen.sh" --programs="$(echo $names | tr ' ' ',')" --jobs="$jobs" >"$results/chosen.md"
for name in $names; do
    file=$(program_files "$name") file=$trees/paths/$name/${file%% *} profile=$trees/paths/$name.merged
    [ -e "$profile" ] || continue
    key=$(cat "$executed" "$profile" | sha256sum)
    if [ "$(cat "$results/$name.executed.key" 2>/dev/null)" != "$key" ]; then
        "$executed" "$file" "$profile" >"$results/$name.executed.tsv"
        echo "$key" >"$results/$name.executed.key"
    fi
    sed "s/^/$name\t/" "$results/$name.executed.tsv"
done >"$results/executed.tsv"
awk -v overheads="$results/chosen.md" -f "$top/bench/papers/executed.awk" "$results/executed.tsv" \
    >>"$out/apiwattanapong-harrold-2002.md"
# points COLUMN...: functions by ratio against these columns
points() {
    sort -t "$(printf '\t')" -g -k5,5 "$results/all.tsv" |
        awk -F '\t' -v columns="$*" -v title="$title" -f "$top/bench/papers/points.awk"
}
title="Figure 6: probes for one path, in per cent of those for all paths" points 6 \
    >"$figures/apiwattanapong-harrold-2002-6.svg"
title="Figure 7: probes for 2 (blue), 3 (green), 4 (orange) and 5 (red) paths, in per cent of those for all paths" points 7 8 9 10 >"$figures/apiwattanapong-harrold-2002-7.svg"
