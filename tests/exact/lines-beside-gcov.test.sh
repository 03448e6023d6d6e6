#!/usr/bin/env bash
# The lines that `llvm-cov gcov` lists at -O0 are those that have a count here; those that never ran are the same; and no count is larger than gcov's, which is
# the number of arrivals at the line from other lines: at least one for each time that a block of the line runs, unless the block is a loop by itself. All of it
# but for the lines that gcov-differences.txt lists and explains. (How large counts are is judged by lines-equal-llvm-cov.) Programs that
# drop activations are left out: gcov has no right counts for them (it writes nothing after _exit, and solves what is left as if all had returned).
# System headers are left out: gcov also counts bodies that live in libraries (extern templates) where they are inlined.
set -eu
. "$COTREE_TOP/tests/lib/corpus.sh"
. "$COTREE_TOP/tests/lib/judge.sh"
. "$COTREE_TOP/tests/lib/gcov.sh"
# FILE:LINE COUNT, the file by its real name.
real_paths() {
    cat >as-given
    cut -d : -f 1 as-given | sort -u >given
    while read -r file; do echo "$file $(realpath -ms "$file")"; done <given >names
    awk 'FNR == NR { real[$1] = $2; next } { i = index($0, ":"); print real[substr($0, 1, i - 1)] substr($0, i) }' names as-given | sort
}

touch seen
for name in $(corpus_names); do
    case $name in cut-*) continue ;; esac
    gcov_lines "$name" || { failed "$name: no gcov"; continue; }
    program=$name-O0
    cotree_build "$name" "$program" -O0 || continue
    cotree_run "$program"
    "$cotree" report --format=lcov -o lcov.info "./$program" "$program.data" || { failed "$name: no lcov report"; continue; }
    awk -F '[:,]' '/^SF:/ { file = substr($0, 4) } /^DA:/ { print file ":" $2, $3 }' lcov.info | real_paths >cotree-lines
    real_paths <"$name.gcov-lines" >gcov-lines
    # FILE:LINE | GCOV COTREE, - where a line is not listed at all
    join -a 1 -a 2 -e - -o 0,1.2,2.2 gcov-lines cotree-lines |
        awk '$2 == "-" || $3 == "-" || ($2 == 0) != ($3 == 0) || $3 + 0 > $2 + 0' | sed "s|^$corpus/||; s|^$PWD/||" |
        grep -v "^/usr/" >differences || :
    awk 'FNR == NR { if (!/^#/ && NF) known[$1] = 1; next } !($1 in known)' "$COTREE_TOP/tests/exact/gcov-differences.txt" differences >unexplained
    if [ -s unexplained ]; then
        failed "$name: $(wc -l <unexplained) lines differ from gcov (line, gcov, cotree)"
        head -n "${SAME_LINES:-8}" unexplained
    fi
    cut -d ' ' -f 1 differences >>seen
    rm -rf "${name:?}"[-.]*
done
# A line on the list that no longer differs is a mistake in the list.
awk 'FILENAME == "seen" { seen[$1] = 1; next } !/^#/ && NF && !($1 in seen) { print "gcov-differences.txt: " $1 " does not differ" }' \
    seen "$COTREE_TOP/tests/exact/gcov-differences.txt" >stale
if [ -s stale ]; then failed "$(cat stale)"; fi
finish
