#!/usr/bin/env bash
# The counts that the programs' comments claim are those of plain counters in plain C, and the
# programs do what their comments say when plain clang builds them: the truth that the other tests
# compare with.
set -eu
. "$COTREE_TOP/tests/frames/programs.sh"
build_launcher
clang-${LLVM:-19} -O2 -Wall -Wextra -Werror -c "$COTREE_TOP/tests/frames/count_lines.c" -o count_lines.o

check() { # NAME
    local name=$1 unit=0 part source objects=() claims=0
    mkdir "$name"
    for part in "$name" "$name.2" "$name.so" "$name.plain"; do
        source=$(program_source "$part")
        if [ -z "$source" ]; then continue; fi
        {
            if [ "${source##*.}" = cpp ]; then
                echo 'extern "C" void count_line(int, int);'
            else
                echo 'void count_line(int, int);'
            fi
            echo "#line 1 \"$source\""
            awk -v unit=$unit -f "$COTREE_TOP/tests/frames/count_lines.awk" "$source"
        } >"$name/$unit.${source##*.}"
        # shellcheck disable=SC2046
        $(clang_for "$source") $(flags_for "$source") -O1 -I"$programs" -c "$name/$unit.${source##*.}" \
            -o "$name/$unit.o"
        objects+=("$name/$unit.o")
        sed -n "s|.*/\* count: \([0-9]*\) \*/.*|\1|; t good; d; :good; =; p" "$source" | paste - - |
            while read -r line count; do echo "$((unit * 1000 + line)) $count $source:$line"; done \
            >>"$name/claims"
        unit=$((unit + 1))
    done
    if is_cxx "$name"; then part=clang++-${LLVM:-19}; else part=clang-${LLVM:-19}; fi
    $part -pthread "${objects[@]}" count_lines.o -o "$name/program"
    run_program "$name" "$name/program" "$name/output" LINE_COUNTS="$PWD/$name/counts"
    as_expected "$name" "$name/output" >"$name/difference" ||
        { failed "$name does not do what its comment says:"; cat "$name/difference"; }
    od -An -v -td8 -w8 "$name/counts" |
        awk 'FNR == NR { claim[$1] = $2; at[$1] = $3; next }
            FNR - 1 in claim {
                if ($1 != claim[FNR - 1])
                    print at[FNR - 1] ": runs " $1 " times, its comment says " claim[FNR - 1]
            }' \
            "$name/claims" - >"$name/wrong"
    if [ -s "$name/wrong" ]; then failed "$(cat "$name/wrong")"; fi
    rm -r "$name"
}
for name in $(program_names); do check "$name"; done
[ "$(program_names | wc -l)" -gt 60 ] || failed "only $(program_names | wc -l) programs"
# Every program belongs to a test, and every line of not-yet.txt to a program.
for name in $(program_names); do
    [ -e "$COTREE_TOP/tests/frames/$(said "$name" group).test.sh" ] || failed "$name belongs to no test"
done
awk '!/^#/ && NF && $1 != "invisible" { print $1 }' "$COTREE_TOP/tests/frames/not-yet.txt" | sort -u |
    comm -23 - <(program_names | sort) >unknown
if [ -s unknown ]; then failed "not-yet.txt lists $(tr '\n' ' ' <unknown), which are no programs"; fi
finish
