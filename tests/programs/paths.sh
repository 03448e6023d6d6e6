# Paths of real programs: a part of tests/programs/run, whose functions it uses. check_paths NAME,
# in a process of its own, sets paths_line, or fails.
#
# The configured tree is compiled once more, with `-fcotree=paths,every-edge`; by which definition
# paths end is the program's turn. Then
#   1. the same work and the same failures leave the same outputs;
#   2. the edge counts that path counts and the few counters beside them give equal those of a
#   counter on every edge in the same process, for every
#      process, as in run;
#   3. paths, those that ended and those that were cut short, imply these counts edge by edge
#   (implied.awk). That needs no solving: it is what paths mean.

path_ends() { # NAME
    case $1 in
    gzip | lua5.4 | sqlite3 | diffutils | lzip | m4) echo loops ;;
    grep | zlib | xz-utils | bc | lz4) echo mixed ;;
    *) echo back ;;
    esac
}

# check_implied: of $log.json; adds up functions and edges that were looked at.
check_implied() {
    local words
    jq -r -f "$PROGRAMS_TOP/tests/programs/paths.jq" "$log.json" |
        awk -f "$PROGRAMS_TOP/tests/programs/implied.awk" >"$log.implied"
    read -ra words < <(tail -n 1 "$log.implied")
    [ "${words[0]-}" = sum ] && [ "${words[1]}" -gt 0 ] || fail "paths of no function were looked at"
    [ "$(wc -l <"$log.implied")" = 1 ] ||
        fail "paths do not imply edges: $(wc -l <"$log.implied") differences, $(head -n 1 \
        "$log.implied"), see $log.implied"
    path_functions=$((path_functions + words[1]))
    path_edges=$((path_edges + words[2]))
    left_out=$((left_out + words[3]))
}

check_paths() {
    local name=$1 ends flags log=$trees/$1.paths dir=$trees/paths/$1 file files
    local at_work=0 declared=0 path_functions=0 path_edges=0 left_out=0 merged=0
    ends=$(path_ends "$name")
    flags="-fcotree=paths,every-edge -fcotree-path-ends=$ends"
    program_compile "$name" "$dir" "$cotree cc $flags" "$cotree c++ $flags" ||
        fail "compile with paths, see $dir.log"
    run_both "$dir" "$log"
    cmp -s "$trees/$name.plain.out" "$log.out" ||
        fail "messages with paths differ, see $trees/$name.plain.out and $log.out"
    cmp -s "$trees/$name.plain.sums" "$log.sums" ||
        fail "outputs with paths differ, see $trees/$name.plain.sums and $log.sums"
    for file in $(program_files "$name"); do
        file=${file##*/}
        mapfile -t files < <(compgen -G "$data/$file.*.at-work.cotree")
        check_at_work "$trees/stage/$name/$file" "${files[@]}"
        mapfile -t files < <(compgen -G "$data/$file.*.cotree" | grep -v '\.at-work\.cotree$')
        check_told "$trees/stage/$name/$file" "${files[@]}"
        check_implied
    done
    [ "$at_work" -gt 0 ] || fail "no process with paths was killed at work"
    paths_line="; paths ($ends): $path_edges edges of $path_functions functions implied, $left_out functions not told, killed at work: $((at_work - declared)) of $at_work exact, left in merged calls: $merged"
}
export -f path_ends check_implied check_paths
