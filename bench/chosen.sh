#!/usr/bin/env bash
# What counting some paths costs: `bench/chosen.sh [--programs=A,B|all] [--groups] [--jobs=N]`, four
# programs unless more are asked for. Instructions under cachegrind over the plain build, in per
# cent: all paths; those that make 90 % of the executions of the same work (hot:90%); those that it
# did not run (uncovered); one of eight groups (group:1/8), and the mean of all eight with --groups.
# Builds, instructions and what is kept of them are bench/run's.
set -u
. "$(cd "$(dirname "$0")" && pwd)/../tests/programs/lib.sh"
names=m4,bc,gzip,lua5.4 groups=group1 jobs=
for argument in "$@"; do
    case $argument in
    --programs=all) names=$(program_names | paste -sd,) ;;
    --programs=*) names=${argument#*=} ;;
    --groups) groups=group1,group2,group3,group4,group5,group6,group7,group8 ;;
    --jobs=*) jobs=$argument ;;
    *) echo "usage: bench/chosen.sh [--programs=A,B|all] [--groups] [--jobs=N]" >&2; exit 64 ;;
    esac
done
out=$COTREE_BUILD/bench
# shellcheck disable=SC2086
"$PROGRAMS_TOP/bench/run" --programs="$names" --columns=paths,pathhot,pathrest,$groups --no-compile $jobs \
    >/dev/null || exit 1
printf '| program | all paths | hot 90 %% | uncovered | one of eight groups |\n|---|---|---|---|---|\n'
for name in ${names//,/ }; do
    for column in plain paths pathhot pathrest ${groups//,/ }; do
        [ -e "$out/cells/$name.$column" ] ||
            { echo "bench/chosen.sh: $name: $column was not measured" >&2; continue 2; }
    done
    for column in plain paths pathhot pathrest ${groups//,/ }; do tail -n 1 "$out/cells/$name.$column"; done |
        awk -F '\t' -v name="$name" '
        $2 == "plain" { plain = $3; next }
        { over = ($3 / plain - 1) * 100 }
        $2 ~ /^group/ { sum += over; groups++; next }
        { line = line sprintf(" %.1f |", over) }
        END { if (groups) printf "| %s |%s %.1f |\n", name, line, sum / groups }'
done
