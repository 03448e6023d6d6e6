#!/usr/bin/env bash
# Pages to look at, beside those of genhtml and llvm-cov: `bench/html.sh [PROGRAM...]` prints a
# table (markdown): how long it takes to make them, how large they are, and when the first screen
# and the source of the largest file are there in Chromium.
#
#   cotree     cotree report --format=html, of a build by cotree cc: reading the data and solving included
#   genhtml    genhtml --branch-coverage, of the tracefile that cotree report --format=lcov writes:
#              making that is not included
#   llvm-cov   llvm-cov show --format=html --show-branches=count, of a build by clang
#              -fprofile-instr-generate -fcoverage-mapping: merging is not included
#
# The programs do the work of tests/programs/recipes. Time is that of the processor (user and
# system), the least of RUNS (10): it depends little on what else the machine does, and counts all
# threads. Times in the browser are from the start of navigation, the least of three.
set -eu
. "$(cd "$(dirname "$0")" && pwd)/../tests/programs/lib.sh"
top=$PROGRAMS_TOP
export COTREE_TOP=$top
. "$top/tests/html/browser.sh"
work=$PROGRAMS_CACHE/html
names=${*:-gzip lua5.4 sqlite3}
"$top/tests/programs/fetch" $names
fetch_playwright
mkdir -p "$work"

# build TOOL NAME CC CXX: $work/TOOL/NAME, from a tree configured once, and its work done in
# $work/TOOL/NAME.stage; kept while the compiler is the same.
build() {
    local dir=$work/$1/$2 configured=$work/configured/$2 key
    key="$3 $(cat "$COTREE_BUILD"/lib/cotree/* | sha256sum) $(cat "$PROGRAMS_CACHE/src/$2.version")"
    [ "$(cat "$dir.key" 2>/dev/null)" = "$key" ] && return
    rm -rf "$dir" "$dir.key"
    mkdir -p "$work/configured" "$work/$1"
    if [ ! -e "$configured.done" ]; then
        program_configure "$2" "$configured" "$CLANG" "clang++-$LLVM" ||
            die "$2 is not configured, see $configured.log"
        touch "$configured.done"
    fi
    cp -a "$configured" "$dir"
    program_compile "$2" "$dir" "$3" "$4" || die "$2 does not build, see $dir.log"
    program_stage "$2" "$dir" "$dir.stage"
    program_work "$2" "$dir.stage" "" "LLVM_PROFILE_FILE=$dir.stage/%p.profraw" \
        "COTREE_FILE=$dir.stage/%e.%p.cotree" >/dev/null
    echo "$key" >"$dir.key"
}

# seconds COMMAND...: processor time, the least of all runs.
seconds() {
    local TIMEFORMAT='%3U %3S'
    for _ in $(seq "${RUNS:-10}"); do
        rm -rf "$work/out" && mkdir "$work/out"
        { time (cd "$work/out" && "$@" >"$work/log" 2>&1 || die "$(tail -n 3 "$work/log")"); } 2>&1 |
            awk 'NF != 2 { print > "/dev/stderr" } { printf "%.3f\n", $1 + $2 }'
    done | sort -n | head -n 1
}
size() { find "$@" -type f -printf '%s\n' | awk '{ s += $1 } END { printf "%.2f\n", s / 1e6 }'; }

# row NAME TOOL SECONDS SIZE PAGE SOURCE
row() {
    local screens
    screens=$(in_browser "$top/bench/html.js" "$5" "$6")
    echo "| $1 | $2 | $3 | $4 | ${screens% *} | ${screens#* } |"
}

echo '| program | made by | to make it, s | size, MB | first screen, ms | source, ms |'
echo '|---|---|---|---|---|---|'
for name in $names; do
    file=$(program_files "$name") file=${file%% *} file=${file##*/}
    build cotree "$name" "$cotree cc" "$cotree c++"
    build clang "$name" "$CLANG -fprofile-instr-generate -fcoverage-mapping" \
        "clang++-$LLVM -fprofile-instr-generate -fcoverage-mapping"
    stage=$work/cotree/$name.stage
    largest=$("$cotree" report --format=json --no-source "$stage/$file" "$stage/$file".*.cotree |
        jq -r '.files | max_by(.lines | length) | .file')
    last=$(basename "$largest")

    time=$(seconds "$cotree" report --format=html -o page.html "$stage/$file" "$stage/$file".*.cotree)
    row "$name" cotree "$time" "$(size "$work/out/page.html")" "$work/out/page.html" \
        "$work/out/page.html#$last:L1"

    "$cotree" report --format=lcov -o "$work/info" "$stage/$file" "$stage/$file".*.cotree
    time=$(seconds genhtml --quiet --branch-coverage -o . "$work/info")
    row "$name" genhtml "$time" "$(size "$work/out")" "$work/out/index.html" \
        "$(find "$work/out" -name "$last.gcov.html" | head -n 1)"

    stage=$work/clang/$name.stage
    "llvm-profdata-$LLVM" merge -o "$work/profdata" "$stage"/*.profraw
    time=$(seconds "llvm-cov-$LLVM" show --format=html --show-branches=count --output-dir=. \
        --instr-profile="$work/profdata" "$stage/$file")
    row "$name" llvm-cov "$time" "$(size "$work/out")" "$work/out/index.html" \
        "$(find "$work/out" -name "$last.html" | head -n 1)"
done
