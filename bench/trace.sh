#!/usr/bin/env bash
# What traces cost, and what they take: `bench/trace.sh [--programs=A,B] [--sizes | --time [--runs=N]]`.
#
# Without --time, four tables, none of which depends on what else the machine does (but for the speed of regeneration):
#   cost        instructions of the traced program (bench/run, column trace) and of one with SanitizerCoverage's callback on every edge, which stores
#               one word (column guard, bench/guard.c), over the plain build; largest resident sets, of the traced program with its follower beside it
#   size        blocks and branches executed; bytes written a block, on disk a block, bits on disk a branch; how fast blocks are regenerated
#               by one thread, in seconds of the processor
#   placements  instructions of programs traced by each placement of witnesses that can be built (bench/run, columns trace-...), over the plain build
#   sizes       for each placement of witnesses bytes written a block and bits on disk a branch, calculated from the trace of the default
#               one: what each would have written in the same run is written, and packed as the follower does (bench/witnesses.c). Records of calls
#               are the same for all and added
# With --sizes only the last two, which take no run under cachegrind (- in the first: what was not measured yet).
# With --time: seconds of the processor of the plain, the traced and the guarded build, the least of N (5) runs in turn, and page faults of the
# first two; apart from them, seconds of the process that minds the traced program's pages, and of its follower.
# Builds are those of bench/run. What was measured stays in build/bench/trace and is used again for the same build.
set -u
. "$(cd "$(dirname "$0")" && pwd)/../tests/programs/lib.sh"
names=$(program_names | paste -sd,) what=all runs=5 usage="usage: bench/trace.sh [--programs=A,B] [--sizes | --time [--runs=N]]"
placements="trace-calls trace-forest-first trace-predicates trace-paths trace-packed-bits trace-log2"
for argument in "$@"; do
    case $argument in
    --programs=*) names=${argument#*=} ;;
    --sizes | --time) what=${argument#--} ;;
    --runs=*) runs=${argument#*=} ;;
    *) echo "$usage" >&2; exit 64 ;;
    esac
done
top=$PROGRAMS_TOP out=$COTREE_BUILD/bench trees=$PROGRAMS_CACHE/bench cotree=$COTREE_BUILD/cotree
build=${COTREE_BUILD#"$top"/} # as make names it: what its dependencies say would not be found
make -s -C "$top" LLVM="$LLVM" B="$build" "$build/bench/witnesses" || exit 1
case $what in
all) "$top/bench/run" --programs="$names" --columns="trace,guard,${placements// /,}" --no-compile >/dev/null ;;
sizes) "$top/bench/run" --programs="$names" --columns=trace --only-build ;;
time) "$top/bench/run" --programs="$names" --columns=trace,guard --only-build ;;
esac || exit 1
mkdir -p "$out/trace"

# work COLUMN NAME FOLDER: the work once, with a follower: lines of maxrss in FOLDER/run.rss and FOLDER/follower.rss, traces in FOLDER.
work() {
    local column=$1 name=$2 stage=$3 file
    program_stage "$name" "$trees/$column/$name" "$stage" || return 1
    printf '#!/bin/sh\nexec "%s" "%s" "%s" "$@"\n' "$out/maxrss" "$stage/follower.rss" "$cotree" >"$stage/follower"
    chmod +x "$stage/follower"
    : >"$stage/follower.rss"
    program_work "$name" "$stage" "$out/maxrss $stage/run.rss" "COTREE_FILE=$stage/%e.%p.cotree" "COTREE_FOLLOWER=$stage/follower" >"$stage.log" 2>&1 ||
        { echo "bench/trace.sh: $name $column: the work failed, see $stage.log" >&2; return 1; }
    for file in "$stage"/*.cotree; do # until followers have ended
        [ ! -e "$file" ] || "$cotree" trace "$file" "$file" >/dev/null 2>&1
    done
    wait_for_followers "$stage"
    rm -f "$stage.log"
}
# A follower that has ended has left its line, and no events.
wait_for_followers() {
    local tries
    for ((tries = 0; tries < 6000; tries++)); do
        compgen -G "$1/*.cotree-events" >/dev/null || return 0
        pgrep -f -- "trace --follow $1/" >/dev/null || return 0
        sleep 0.05
    done
}
resident() { sort -n "$1" | tail -n 1 | cut -f 1; }
sum() { awk -F '\t' -v column="$1" '{ s += $column } END { printf "%.4f\n", s }' "$2"; } # of what maxrss says: 2 seconds, 4 faults, 5 seconds of the helper

# measure NAME: leaves $out/trace/NAME: resident sets, and what witnesses says of all programs of the package; the first line says of which build.
measure() {
    local name=$1 stage=$trees/trace/$1.stage result=$out/trace/$1 key file
    key=$(cat "$trees/trace/$name.key" "$COTREE_BUILD/bench/witnesses" | sha256sum)
    [ "$(head -n 1 "$result" 2>/dev/null)" = "$key" ] && return
    work trace "$name" "$stage" || return
    {
        echo "$key"
        echo "resident $(resident "$stage/run.rss") $(resident "$stage/follower.rss" | grep . || echo 0)"
        for file in $(program_files "$name"); do
            file=${file##*/}
            compgen -G "$stage/$file.*.cotree" >/dev/null || continue
            "$cotree" trace --pack "$stage/$file".*.cotree >/dev/null 2>&1
            "$out/witnesses" "$stage/$file" "$stage/$file".*.cotree
        done
    } >"$result.new" && mv "$result.new" "$result"
    rm -rf "$stage"
    echo "$name: its traces are measured" >&2
}
# cell NAME COLUMN FIELD: what bench/run measured of the same build, or 0.
cell() {
    local key
    key=$(cat "$trees/$2/$1.key" 2>/dev/null)
    if [ "$2" != plain ] && [ "$(head -n 1 "$out/cells/$1.$2" 2>/dev/null)" != "# $key" ]; then
        echo 0
    else
        tail -n 1 "$out/cells/$1.$2" 2>/dev/null | cut -f "$3" | grep . || echo 0
    fi
}
# cells NAME: instructions of plain, trace, guard; resident set of plain; instructions of other placements.
cells() {
    local column
    echo "instructions $(cell "$1" plain 3) $(cell "$1" trace 3) $(cell "$1" guard 3) $(cell "$1" plain 8)"
    for column in $placements; do echo "costs ${column#trace-} $(cell "$1" "$column" 3)"; done
}

if [ "$what" != time ]; then
    for name in ${names//,/ }; do measure "$name"; done
    for name in ${names//,/ }; do
        [ -e "$out/trace/$name" ] && sed "1s/.*/program $name/" "$out/trace/$name" && cells "$name"
    done | awk -f "$top/bench/trace.awk"
    exit
fi

# time_of COLUMN NAME: seconds of the program, of its followers, of what minds its pages; its page faults.
time_of() {
    local stage=$trees/$1/$2.timed
    work "$1" "$2" "$stage" || return
    echo "$(sum 2 "$stage/run.rss") $(sum 2 "$stage/follower.rss") $(sum 5 "$stage/run.rss") $(sum 4 "$stage/run.rss")"
    rm -rf "$stage"
}
for name in ${names//,/ }; do
    rm -f "$out/trace/$name".*.seconds
    for ((run = 0; run < runs; run++)); do
        for column in plain trace guard; do
            time_of $column "$name" >>"$out/trace/$name.$column.seconds"
        done
    done
done
{
    for name in ${names//,/ }; do
        for column in plain trace guard; do
            sort -n "$out/trace/$name.$column.seconds" | head -n 1 | sed "s/^/$name $column /"
        done
    done
} | awk -v runs="$runs" '
    { second[$1, $2] = $3; faults[$1, $2] = $6; if ($2 == "trace") { follower[$1] = $4; helper[$1] = $5 } if (!($1 in seen)) { seen[$1] = 1; name[++names] = $1 } }
    END {
        print "| program | plain s | traced | callback | plain faults | traced faults | pages s | follower s |\n|---|---|---|---|---|---|---|---|"
        for (i = 1; i <= names; i++) {
            n = name[i]; plain = second[n, "plain"]
            if (plain <= 0 || !second[n, "trace"] || !second[n, "guard"]) continue
            printf "| %s | %.2f | %.2f | %.2f | %d | %d | %.2f | %.2f |\n", n, plain, second[n, "trace"] / plain, second[n, "guard"] / plain, faults[n, "plain"], faults[n, "trace"], helper[n], follower[n]
            traced += log(second[n, "trace"] / plain); guarded += log(second[n, "guard"] / plain); many++
        }
        if (!many) exit 1
        traced = exp(traced / many); guarded = exp(guarded / many)
        printf "| geometric mean | | %.2f | %.2f | | | | |\n\n", traced, guarded
        printf "time over the plain build, least of %d runs: traced %.1f %%, callback %.1f %%: %.2f of it\n", runs, (traced - 1) * 100, (guarded - 1) * 100, (traced - 1) / (guarded - 1)
    }'
