# Line counts as `llvm-cov gcov` gives them for the program built by the same clang at -O0.
# gcov_lines NAME: leaves NAME.gcov-lines in the current directory: "FILE:LINE COUNT", sorted; units that share a header are added up.
gcov_lines() {
    local name=$1 unit flags objects=() base
    flags=$(corpus_flags "$name")
    # gcov shows no line of a file that it cannot read: what macros.c names in #line is relative to where we are
    cp "$corpus/macros.c" .
    yes "" | sed 200q >elsewhere.y
    for unit in $(corpus_units "$name"); do
        base=$(basename "$unit" | tr . _)
        # shellcheck disable=SC2086
        $(corpus_clang "$name") $flags -O0 --coverage -fprofile-update=atomic -c "$unit" -o "$base.o"
        objects+=("$base.o")
    done
    # shellcheck disable=SC2086
    $(corpus_clang "$name") --coverage -pthread "${objects[@]}" $corpus_libraries -o "$name.gcov"
    corpus_run "./$name.gcov" "$name.gcov.out"
    for base in "${objects[@]%.o}"; do llvm-cov-${LLVM:-19} gcov -t "$base.gcda"; done 2>"$name.gcov.err" |
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
