#!/usr/bin/env bash
# Ball & Larus 1994, section 6.2: Table III and Figure 22, traces. Part of ball-larus-1994.sh;
# alone: `bench/papers/ball-larus-1994-traces.sh [--programs=A,B]`, which leaves
# build/papers/ball-larus-1994-traces.md, the last part of docs/papers.md.
#
# What the placements write is calculated from the trace of the default one (bench/trace.sh
# --sizes). Addresses: as many as the work records (bench/run's column trace-addresses). Runs:
# seconds of the processor of the columns trace and trace-predicates, in turn, the least of $runs.
set -eu
. "$(cd "$(dirname "$0")" && pwd)/../../tests/programs/lib.sh"
names=${names:-$(first_programs)} jobs=${jobs:-1} runs=${runs:-6}
top=$PROGRAMS_TOP out=$COTREE_BUILD/papers cotree=$COTREE_BUILD/cotree trees=$PROGRAMS_CACHE/bench
for argument in "$@"; do
    case $argument in
    --programs=*) names=$(echo "${argument#*=}" | tr , '\n') ;;
    *) echo "usage: bench/papers/ball-larus-1994-traces.sh [--programs=A,B]" >&2; exit 64 ;;
    esac
done
results=$out/ball-larus-1994
list=$(echo $names | tr ' ' ,)
mkdir -p "$results"
"$top/bench/run" --programs="$list" --columns=trace,trace-predicates,trace-addresses --jobs="$jobs" \
    --only-build
"$top/bench/trace.sh" --sizes --programs="$list" >"$results/traces.txt"

# work COLUMN NAME: the work once, without a follower (it would share the machine with what is
# measured), in $stage; what maxrss says of its processes in $stage/run.rss.
work() {
    stage=$trees/$1/$2.papers
    program_stage "$2" "$trees/$1/$2" "$stage"
    program_work "$2" "$stage" "$COTREE_BUILD/bench/maxrss $stage/run.rss" "COTREE_FILE=$stage/%e.%p.cotree" \
        COTREE_FOLLOWER=off >"$stage.run" 2>&1 ||
        { echo "papers: $2 $1: the work failed, see $stage.run" >&2; return 1; }
}

# addresses_of NAME: bytes of the loads and stores whose addresses the work recorded, eight each, in
# $results/NAME.addresses.
addresses_of() {
    local result=$results/$1.addresses stage file
    ! cmp -s "$trees/trace-addresses/$1.key" "$result.key" || return 0
    rm -f "$result.key"
    work trace-addresses "$1"
    for file in $(program_files "$1"); do
        file=${file##*/}
        ! compgen -G "$stage/$file.*.cotree" >/dev/null ||
            "$cotree" trace "$stage/$file" "$stage/$file".*.cotree
    done |
        awk '
            /^ *addresses: / {
                gsub(/,/, "")
                s += $2 + $4
            }
            /lost: / { exit 1 } END { printf "addresses %.0f\n", 8 * s }' >"$result"
    rm -rf "$stage"
    cp "$trees/trace-addresses/$1.key" "$result.key"
}

# seconds_of NAME: the least of several runs of both placements, in $results/NAME.seconds.
seconds_of() {
    local result=$results/$1.seconds stage column run
    ! cmp -s "$trees/trace-predicates/$1.key" "$result.key" || return 0
    rm -f "$result.key" "$results/$1".*.runs
    for ((run = 0; run < runs; run++)); do
        for column in trace-predicates trace; do
            work $column "$1"
            awk '{ s += $2 } END { printf "%.3f\n", s }' "$stage/run.rss" >>"$results/$1.$column.runs"
            rm -rf "$stage"
        done
    done
    echo "seconds $(sort -n "$results/$1.trace-predicates.runs" |
        head -n 1) $(sort -n "$results/$1.trace.runs" | head -n 1)" >"$result"
    cp "$trees/trace-predicates/$1.key" "$result.key"
}

for name in $names; do
    addresses_of "$name"
    seconds_of "$name"
    echo "$name: addresses and runs are measured" >&2
done
for name in $names; do
    sed "1s/.*/program $name/" "$COTREE_BUILD/bench/trace/$name"
    cat "$results/$name.addresses" "$results/$name.seconds"
done >"$results/traces.tsv"
awk -v runs="$runs" -f "$top/bench/papers/ball-larus-1994-traces.awk" "$results/traces.tsv" \
    >"$out/ball-larus-1994-traces.md"
