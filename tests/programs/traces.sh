# Traces of real programs: a part of tests/programs/run, whose functions it uses. check_traces NAME,
# in a process of its own, sets trace_line, or fails.
#
# The configured tree is compiled once more, with `-fcotree=trace,every-edge`. Then
#   1. the same work, with a follower beside each process, and the same failures, without, leave the
#   same outputs; 2. the counts that a trace implies are those of a counter on every edge in the
#   same process, for every process, as in run. Counters see the end of an
#      activation in its last call where that became a jump; where it did in one copy of the code
#      and not in another, and the call did not return, the two may differ there, in a few
#      functions, which the report names (their number is printed);
#   3. what was not packed gives the same sequence of steps when it is, and every chunk regenerated
#   alone gives what the whole does there (chunks_alone.c).

# differs_in_ends: is $log.json exact, and are all differences in $log.sets declared, and of traces?
# Where a signal came between two instructions a trace may also be behind counters, or they behind
# it, by what is counted up to the next branch.
differs_in_ends() {
    [ "$(jq '.exact' "$log.json")" = true ] && ! grep 'difference: ' "$log.sets" |
        grep -qv 'declared difference: .* by its trace$'
}
# count_ends: functions that differ so; adds up copies.
count_ends() {
    local differ
    differ=$(sed -n "s/.*difference: '\(.*\)' (.*/\1/p" "$log.sets" | sort -u | wc -l)
    [ $((50 * differ)) -lt "$(jq '.functions | length' "$log.json")" ] ||
        fail "$differ functions are declared to differ, see $log.sets"
    copies=$((copies + differ))
}

# check_chunks PROGRAM DATA...: adds up chunks and blocks.
check_chunks() {
    local alone=$COTREE_BUILD/check/chunks_alone
    "$alone" "$@" >"$log.before" 2>"$log.lost" || fail "$(head -n 1 "$log.lost"), see $log.lost"
    "$cotree" trace --pack "${@:2}" >"$log.lost" 2>&1 || fail "cotree trace --pack: $(head -n 1 "$log.lost")"
    [ -z "$(compgen -G "$data/${1##*/}.*.cotree-events")" ] ||
        fail "not all is packed: $(compgen -G "$data/${1##*/}.*.cotree-events" | head -n 1)"
    "$alone" "$@" >"$log.chunks" 2>"$log.lost" || fail "$(head -n 1 "$log.lost"), see $log.lost"
    cmp -s <(sed '$d' "$log.before") <(sed '$d' "$log.chunks") ||
        fail "packed, traces differ, see $log.before and $log.chunks"
    chunks=$((chunks + $(sed -n '$s/.* streams, \([0-9]*\) chunks.*/\1/p' "$log.chunks")))
    blocks=$((blocks + $(sed -n '$s/.*, \([0-9]*\) blocks/\1/p' "$log.chunks")))
}

check_traces() {
    local name=$1 flags=-fcotree=trace,every-edge log=$trees/$1.traced dir=$trees/traced/$1 file files
    local runs=0 functions=0 edges=0 at_work=0 declared=0 merged=0 copies=0 chunks=0 blocks=0 why=
    program_compile "$name" "$dir" "$cotree cc $flags" "$cotree c++ $flags" ||
        fail "compile with traces, see $dir.log"
    run_both "$dir" "$log"
    cmp -s "$trees/$name.plain.out" "$log.out" ||
        fail "messages of the traced build differ, see $trees/$name.plain.out and $log.out"
    cmp -s "$trees/$name.plain.sums" "$log.sums" ||
        fail "outputs of the traced build differ, see $trees/$name.plain.sums and $log.sums"
    for file in $(program_files "$name"); do
        file=${file##*/}
        mapfile -t files < <(compgen -G "$data/$file.*.cotree")
        check_chunks "$trees/stage/$name/$file" "${files[@]}"
        mapfile -t files < <(compgen -G "$data/$file.*.at-work.cotree")
        check_at_work "$trees/stage/$name/$file" "${files[@]}"
        mapfile -t files < <(compgen -G "$data/$file.*.cotree" | grep -v '\.at-work\.cotree$')
        check_sets "$trees/stage/$name/$file" "${files[@]}"
        count_ends
    done
    [ "$at_work" -gt 0 ] || fail "no traced process was killed at work"
    trace_line="; traced: $((blocks / 1000000)) million blocks, $chunks chunks, killed at work: $((at_work - declared)) of $at_work exact, left in merged calls: $merged, ends seen differently: $copies functions"
}
export -f differs_in_ends count_ends check_chunks check_traces
