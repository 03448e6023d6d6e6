# Line counts as gcov gives them for the program built at -O0.
# gcov_lines NAME [gcc]: leaves NAME.gcov-lines in the current directory: "FILE:LINE COUNT", sorted;
# units that share a header are added up. By the clang that cotree was built for, and `llvm-cov
# gcov`; or by gcc and its own.
gcov_lines() {
    local name=$1 unit flags objects=() base compiler gcov="llvm-cov-${LLVM:-19} gcov"
    flags=$(corpus_flags "$name")
    compiler=$(corpus_clang "$name")
    if [ "${2:-}" = gcc ]; then
        gcov=gcov compiler=gcc
        if corpus_is_cxx "$name"; then compiler=g++; fi
    fi
    # gcov shows no line of a file that it cannot read: what macros.c names in #line is relative to
    # where we are
    cp "$corpus/macros.c" .
    yes "" | sed 200q >elsewhere.y
    for unit in $(corpus_units "$name"); do
        base=$(basename "$unit" | tr . _)
        # shellcheck disable=SC2086
        $compiler $flags -O0 --coverage -fprofile-update=atomic -c "$unit" -o "$base.o"
        objects+=("$base.o")
    done
    # shellcheck disable=SC2086
    $compiler --coverage -pthread "${objects[@]}" $corpus_libraries -o "$name.gcov"
    corpus_run "./$name.gcov" "$name.gcov.out"
    for base in "${objects[@]%.o}"; do $gcov -t "$base.gcda"; done 2>"$name.gcov.err" |
        awk -F: '
            $2 + 0 == 0 && $3 == "Source" { file = substr($0, index($0, "Source:") + 7); next }
            $2 + 0 == 0 { next }
            { count = $1; gsub(/[ *]/, "", count) }
            count == "-" { next }
            count ~ /^[#=]+$/ { count = 0 }
            { lines[file ":" ($2 + 0)] += count }
            END { for (l in lines) printf "%s %.0f\n", l, lines[l] }' | LC_ALL=C sort >"$name.gcov-lines"
    if [ -s "$name.gcov.err" ]; then cat "$name.gcov.err"; return 1; fi
    rm -f "$name.gcov" "$name.gcov.err" "${objects[@]}" "${objects[@]/%.o/.gcda}" "${objects[@]/%.o/.gcno}"
}
