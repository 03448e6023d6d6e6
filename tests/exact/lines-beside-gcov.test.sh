#!/usr/bin/env bash
# The lines that `llvm-cov gcov` lists at -O0 are those that have a count here; those that never ran
# are the same; and no count is larger than gcov's, which is the number of arrivals at the line from
# other lines: at least one for each time that a block of the line runs, unless the block is a loop
# by itself. All of it but for the lines that gcov-differences.txt lists and explains. (How large
# counts are is judged by lines-equal-llvm-cov.) Programs that drop activations are left out: gcov
# has no right counts for them (it writes nothing after _exit, and solves what is left as if all had
# returned). The lines that gcc's gcov lists have a count, too, and those that never ran are the
# same, but for lines that hold nothing but labels and braces, which gcc counts arrivals at and for
# which clang makes no code, and those that gcc-gcov-differences.txt explains. (gcc lists fewer: few
# closing braces.) System headers are left out: gcov also counts bodies that live in libraries
# (extern templates) where they are inlined.
set -eu
. "$COTREE_TOP/tests/lib/corpus.sh"
. "$COTREE_TOP/tests/lib/judge.sh"
. "$COTREE_TOP/tests/lib/gcov.sh"
# FILE:LINE COUNT, the file by its real name.
real_paths() {
    cat >as-given
    cut -d : -f 1 as-given | sort -u >given
    while read -r file; do echo "$file $(realpath -ms "$file")"; done <given >names
    awk '
        FNR == NR {
            real[$1] = $2
            next
        }
        { i = index($0, ":"); print real[substr($0, 1, i - 1)] substr($0, i) }' names as-given | sort
}

touch seen seen-gcc
compared=0
# unexplained NAME JUDGE LIST SEEN: `differences` are all on the list.
unexplained() {
    sed "s|^$corpus/||; s|^$PWD/||" differences | grep -v "^/usr/" >own || :
    awk 'FNR == NR { if (!/^#/ && NF) known[$1] = 1; next } !($1 in known)' "$COTREE_TOP/tests/exact/$3" own \
        >unexplained
    if [ -s unexplained ]; then
        failed "$1: $(wc -l <unexplained) lines differ from $2 (line, $2, cotree)"
        head -n "${SAME_LINES:-8}" unexplained
    fi
    cut -d ' ' -f 1 own >>"$4"
}
# without_labels: leaves out lines of the corpus that hold nothing but labels and braces.
without_labels() {
    while read -r place counts; do
        text=$(sed -n "${place##*:}p" "${place%:*}" 2>/dev/null)
        if [[ ! $text =~ ^([[:space:]{}\;]|case [^:]*:|[[:alnum:]_]+:)*$ ]]; then echo "$place $counts"; fi
    done
}
for name in $(corpus_names); do
    case $name in cut-*) continue ;; esac
    gcov_lines "$name" || { failed "$name: no gcov"; continue; }
    program=$name-O0
    cotree_build "$name" "$program" -O0 -fcotree=edges || continue
    cotree_run "$program"
    "$cotree" report --format=lcov -o lcov.info "./$program" "$program.data" ||
        { failed "$name: no lcov report"; continue; }
    awk -F '[:,]' '/^SF:/ { file = substr($0, 4) } /^DA:/ { print file ":" $2, $3 }' lcov.info |
        real_paths >cotree-lines
    real_paths <"$name.gcov-lines" >gcov-lines
    # FILE:LINE | GCOV COTREE, - where a line is not listed at all
    join -a 1 -a 2 -e - -o 0,1.2,2.2 gcov-lines cotree-lines |
        awk '$2 == "-" || $3 == "-" || ($2 == 0) != ($3 == 0) || $3 + 0 > $2 + 0' >differences
    unexplained "$name" gcov gcov-differences.txt seen
    if [ "$name" != tail-calls ] && [ "$name" != hints ]; then # musttail and __builtin_assume are clang's
        gcov_lines "$name" gcc || { failed "$name: no gcov by gcc"; continue; }
        real_paths <"$name.gcov-lines" >gcov-lines
        join -a 1 -e - -o 0,1.2,2.2 gcov-lines cotree-lines | awk '$3 == "-" || ($2 == 0) != ($3 == 0)' |
            without_labels >differences
        compared=$((compared + $(wc -l <gcov-lines)))
        unexplained "$name" "gcc's gcov" gcc-gcov-differences.txt seen-gcc
    fi
    rm -rf "${name:?}"[-.]*
done
[ $compared -gt 1500 ] || failed "only $compared lines were compared with gcc's gcov"
# A line on a list that no longer differs is a mistake in the list.
for list in gcov-differences.txt gcc-gcov-differences.txt; do
    case $list in gcc*) file=seen-gcc ;; *) file=seen ;; esac
    awk -v list=$list -v seen=$file \
        '
            FILENAME == seen {
                differs[$1] = 1
                next
            }
            !/^#/ && NF && !($1 in differs) { print list ": " $1 " does not differ" }' \
        $file "$COTREE_TOP/tests/exact/$list" >stale
    if [ -s stale ]; then failed "$(cat stale)"; fi
done
finish
