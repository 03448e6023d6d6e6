#!/usr/bin/env bash
# Line counts at -O0 are those of `llvm-cov show` (clang's source-based coverage), wherever both
# have one, but for the lines that llvm-cov-differences.txt lists and explains; and in no instance
# of a function does a line exceed the largest of its blocks. Programs: all of tests/corpus that end
# with every activation finished, those of tests/frames that do, and tests/lines. (clang has no
# right counts for the others: tests/frames/README.md, `bench/peers.sh`.)
set -eu
. "$COTREE_TOP/tests/lib/corpus.sh"
. "$COTREE_TOP/tests/lib/llvm_cov.sh"
frames=$COTREE_TOP/tests/frames/programs lines=$COTREE_TOP/tests/lines/programs
touch seen
compared=0

# lines_of INFO >FILE:LINE COUNT: of lcov's records, without system headers.
lines_of() {
    awk -F '[:,]' '
        /^SF:/ {
            file = substr($0, 4)
        }
        /^DA:/ && file !~ "^/usr/" { sub(".*/", "", file); print file ":" $2, $3 }' "$1" | sort
}
# judge NAME "FLAGS" UNIT...
judge() {
    local name=$1 flags=$2 clang=clang-${LLVM:-19} own="$cotree cc" shared=${COTREE_MADE-}
    shift 2
    case $1 in *.c) ;; *) clang=clang++-${LLVM:-19} own="$cotree c++" ;; esac
    mkdir "$name" "$name/data"
    # shellcheck disable=SC2086
    llvm_cov_build "$name/covered" "$clang" $flags "$@" $corpus_libraries ||
        { failed "$name: clang fails"; return; }
    corpus_run "./$name/covered" "$name/out" LLVM_PROFILE_FILE="$PWD/$name/%p.profraw"
    llvm_cov_info "$name/covered" "$name"/*.profraw >"$name/info" 2>"$name/log" ||
        { failed "$name: no profile: $(cat "$name/log")"; return; }
    case $name in macros) shared= ;; esac # it names files relative to where it is compiled
    # shellcheck disable=SC2086
    COTREE_MADE=$shared build_once "$name/counted" $own $flags -O0 -fcotree=edges "$@" $corpus_libraries ||
        { failed "$name: cotree fails"; return; }
    corpus_run "./$name/counted" "$name/out2" COTREE_FILE="$PWD/$name/data/%e.%p.cotree"
    "$cotree" report --format=lcov -o "$name/lcov" "$name/counted" "$name/data"
    "$cotree" report --format=json -o "$name/json" "$name/counted" "$name/data"
    lines_of "$name/info" >"$name/theirs"
    lines_of "$name/lcov" >"$name/ours"
    compared=$((compared + $(join "$name/theirs" "$name/ours" | wc -l)))
    join "$name/theirs" "$name/ours" | awk '$2 != $3' >"$name/differences"
    cut -d ' ' -f 1 "$name/differences" >>seen
    awk 'FNR == NR { if (!/^#/ && NF) known[$1] = 1; next } !($1 in known)' \
        "$COTREE_TOP/tests/exact/llvm-cov-differences.txt" "$name/differences" >"$name/unexplained"
    if [ -s "$name/unexplained" ]; then
        failed "$name: $(wc -l <"$name/unexplained") lines differ from llvm-cov (line, llvm-cov, cotree)"
        head -n "${SAME_LINES:-8}" "$name/unexplained"
    fi
    # The largest block of each line in each function; instances may add up to their sum, and no
    # more. What was resumed in a block comes on top.
    jq -r '. as $report | [.functions[] | select(.blocks | length > 0) |
            (reduce .frames[] as $f ({}; .[$f.block | tostring] += $f.resumed)) as $resumed |
            [.blocks[] | {count: ((.count // 0) + ($resumed[.id | tostring] // 0)),
                at: (.lines[] | "\(.file):\(.line)")}] |
            group_by(.at)[] | {at: .[0].at, most: (map(.count) | max)}] |
            (group_by(.at) | map({key: .[0].at, value: (map(.most) | add)}) | from_entries) as $most |
            $report.files[] | .file as $file | .lines[] | "\($file):\(.line)" as $at |
            select(.count > $most[$at] or $most[$at] == null) |
                "\($at) ran \(.count) times, its blocks \($most[$at])"' \
        "$name/json" >"$name/too-large"
    if [ -s "$name/too-large" ]; then failed "$name: $(head -n 3 "$name/too-large")"; fi
    rm -r "$name"
}

for name in $(corpus_names); do
    case $name in cut-*) continue ;; esac
    # shellcheck disable=SC2046
    judge "$name" "$(corpus_flags "$name")" $(corpus_units "$name")
done
for name in return exec-fails posix-spawn segv-fixed threads-race; do
    judge "$name" "-w -pthread -I$frames" "$frames/$name.c"
done
for unit in "$lines"/*.c; do judge "$(basename "${unit%.*}")" "-w" "$unit"; done
for unit in "$lines"/*.cpp; do judge "$(basename "${unit%.*}")" "-w -std=c++20" "$unit"; done
[ $compared -gt 2000 ] || failed "only $compared lines were compared"
# A line on the list that no longer differs is a mistake in the list.
awk '
    FILENAME == "seen" {
        seen[$1] = 1
        next
    }
    !/^#/ && NF && !($1 in seen) { print "llvm-cov-differences.txt: " $1 " does not differ" }' \
    seen "$COTREE_TOP/tests/exact/llvm-cov-differences.txt" >stale
if [ -s stale ]; then failed "$(cat stale)"; fi
finish
