#!/usr/bin/env bash
# What counting paths costs, and how that splits: `bench/paths.sh [--programs=A,B|all]
# [--columns=paths,pathloops,pathmixed]`; four programs unless more are asked for. Builds and
# instructions are those of bench/run.
#
#   counts   increments of path counters, one instruction each; those that left loops are counted as
#            often as the loops ran, so `sums` may be negative
#   frames   increments of the counters beside them (set `rest`): what makes edge counts exact where
#            frames are left in calls
#   sums     all other instructions that the plain build does not execute: settings of sums and
#            additions to them, registers and jumps that these take, what the optimiser did not do
#            because of them (and code layout)
# All three are per cent of the instructions of the plain build.
set -u
. "$(cd "$(dirname "$0")" && pwd)/../tests/programs/lib.sh"
names=gzip,gperf,lua5.4,grep columns=paths,pathmixed
for argument in "$@"; do
    case $argument in
    --programs=all) names=$(program_names | paste -sd,) ;;
    --programs=*) names=${argument#*=} ;;
    --columns=*) columns=${argument#*=} ;;
    *) echo "usage: bench/paths.sh [--programs=A,B|all] [--columns=A,B]" >&2; exit 64 ;;
    esac
done
top=$PROGRAMS_TOP out=$COTREE_BUILD/bench trees=$PROGRAMS_CACHE/bench cotree=$COTREE_BUILD/cotree
"$top/bench/run" --programs="$names" --columns="$columns" --no-compile >/dev/null || exit 1

# instructions NAME COLUMN
instructions() { tail -n 1 "$out/cells/$1.$2" | cut -f 3; }
printf '| program | paths end | cost | counts | frames | sums |\n|---|---|---|---|---|---|\n'
for name in ${names//,/ }; do
    for column in ${columns//,/ }; do
        [ -e "$out/cells/$name.$column" ] && [ -e "$out/cells/$name.plain" ] || continue
        stage=$trees/$column/$name.stage
        program_stage "$name" "$trees/$column/$name" "$stage" &&
            program_work "$name" "$stage" "" "COTREE_FILE=$stage/%e.%p.cotree" >"$stage.log" 2>&1 ||
            { echo "bench/paths.sh: $name $column: the work failed" >&2; continue; }
        counts=0
        for file in $(program_files "$name"); do
            file=${file##*/}
            ls "$stage/$file".*.cotree >/dev/null 2>&1 || continue
            counts=$((counts + $("$cotree" report --paths "$stage/$file" "$stage/$file".*.cotree 2>/dev/null | sed -n 's/^paths .* ran, \([0-9,]*\) times$/\1/p' | tr -d ,)))
        done
        all=$("$out/increments" "$stage"/*.cotree) || continue
        rm -rf "$stage" "$stage.log"
        ends=${column#path}
        awk -v name="$name" -v ends="${ends/#s/back}" -v plain="$(instructions "$name" plain)" \
            -v with="$(instructions "$name" "$column")" -v counts="$counts" -v all="$all" 'BEGIN {
            cost = (with / plain - 1) * 100; c = counts / plain * 100; f = (all - counts) / plain * 100
            printf "| %s | %s | %.1f | %.1f | %.1f | %.1f |\n", name, ends, cost, c, f, cost - c - f }'
    done
done
