#!/usr/bin/env bash
# What counting some paths costs: `bench/chosen.sh [--programs=A,B|all]`, four programs unless more are asked for. Instructions under cachegrind over the
# plain build, in per cent: all paths; those that make 90 % of the executions of the same work (hot:90%); those that it did not run (uncovered); one
# of eight groups (group:1/8), and the mean of all eight with --groups. Each is a build of its own; those of plain code and all paths are bench/run's.
set -u
. "$(cd "$(dirname "$0")" && pwd)/../tests/programs/lib.sh"
names=m4,bc,gzip,lua5.4 groups=1
for argument in "$@"; do
    case $argument in
    --programs=all) names=$(program_names | paste -sd,) ;;
    --programs=*) names=${argument#*=} ;;
    --groups) groups="1 2 3 4 5 6 7 8" ;;
    *) echo "usage: bench/chosen.sh [--programs=A,B|all] [--groups]" >&2; exit 64 ;;
    esac
done
top=$PROGRAMS_TOP out=$COTREE_BUILD/bench trees=$PROGRAMS_CACHE/bench cotree=$COTREE_BUILD/cotree
"$top/bench/run" --programs="$names" --columns=edges,paths --no-compile >/dev/null || exit 1

# cost NAME CHOICE: instructions of a build that counts the chosen paths
cost() {
    local dir=$trees/chosen/$1 stage=$trees/chosen/$1.stage flags="-fcotree=paths -fcotree-paths=$2"
    rm -rf "$dir"
    mkdir -p "$trees/chosen"
    cp -a "$trees/configured/$1" "$dir"
    program_compile "$1" "$dir" "$cotree cc $flags" "$cotree c++ $flags" && program_stage "$1" "$dir" "$stage" &&
        program_work "$1" "$stage" "valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null --log-file=$stage/%p.irefs" \
            "COTREE_FILE=$stage/%e.%p.cotree" >"$dir.run" 2>&1 || { echo "bench/chosen.sh: $1 $2 failed, see $dir.log and $dir.run" >&2; return 1; }
    cat "$stage"/*.irefs | awk '/I +refs:/ { gsub(/,/, "", $NF); sum += $NF } END { printf "%.0f\n", sum }'
    rm -rf "$dir" "$stage"
}
instructions() { tail -n 1 "$out/cells/$1.$2" | cut -f 3; }

printf '| program | edges alone | all paths | hot 90 %% | uncovered | one of eight groups |\n|---|---|---|---|---|---|\n'
for name in ${names//,/ }; do
    # The profile that the choices are made by: of several programs the first one's.
    stage=$trees/chosen/$name.stage profile=$trees/chosen/$name.merged
    file=$(program_files "$name") file=${file%% *} file=${file##*/}
    mkdir -p "$trees/chosen"
    program_stage "$name" "$trees/paths/$name" "$stage" && program_work "$name" "$stage" "" "COTREE_FILE=$stage/%e.%p.cotree" >/dev/null 2>&1 &&
        rm -f "$profile" && "$cotree" merge "$stage/$file" "$stage/$file".*.cotree -o "$profile" >/dev/null 2>&1 || { echo "bench/chosen.sh: $name: no profile" >&2; continue; }
    hot=$(cost "$name" "hot:90%:$profile") && uncovered=$(cost "$name" "uncovered:$profile") || continue
    in_groups=$(for i in $groups; do cost "$name" "group:$i/8"; done)
    [ -n "$in_groups" ] || continue
    echo "$(instructions "$name" plain) $(instructions "$name" edges) $(instructions "$name" paths) $hot $uncovered" $in_groups |
        awk -v name="$name" '{ for (i = 6; i <= NF; i++) sum += $i
            printf "| %s | %.1f | %.1f | %.1f | %.1f | %.1f |\n", name, ($2 / $1 - 1) * 100, ($3 / $1 - 1) * 100, ($4 / $1 - 1) * 100, ($5 / $1 - 1) * 100, (sum / (NF - 5) / $1 - 1) * 100 }'
done
