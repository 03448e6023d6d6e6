# Lines of programs that count some of them themselves (tests/runtime/jumps/truth.h), as the report
# has them. $here is the folder of the sources, $flags what they are compiled with, and $cotree the
# program to test.
fail() { echo "$*"; exit 1; }

# judge EXPECTED SOURCE PROGRAM ARGS...: runs it, plain with true counts and with counters, and
# compares lines. EXPECTED is exact, declared or either of them.
judge() {
    local expected=$1 source=$2 program=$3
    shift 3
    rm -f truth ./*.cotree*
    [ "$(COTREE=off TRUTH_FILE=truth ./$program.plain "$@")" = "$(./$program "$@")" ] ||
        fail "$program $*: other output"
    "$cotree" report --format=json ./$program ./*.cotree >json
    od -An -v -t u8 -w8 truth | awk '$1 { print NR - 1, $1 }' >true.list
    grep -n '^ *T;$' "$here/$source" | cut -d: -f1 | while read -r line; do
        echo "$line $(awk -v line=$line '$1 == line { print $2; found = 1 } END { if (!found) print 0 }' \
            true.list)"
    done >wanted
    [ "$(awk '{ sum += $2 } END { print (sum > 0) }' wanted)" = 1 ] || fail "$program $*: no true counts"
    # LINE COUNT EXACT BOUND LEAST; the bound of the function that the line is in, -1 if it is not
    # known. What ran is not said never to have run.
    jq -r --arg source "$source" \
        '[.functions[] | select(.file // "" | endswith("/" + $source))] as $functions |
        .files[] | select(.file | endswith("/" + $source)) | .lines[] | . as $line |
        ($functions | map(select(.line <= $line.line)) | max_by(.line)) as $f |
        "\(.line) \(.count) \(.exact != false) \($f.max_error // -1) \(.at_least // 0)"' json >got
    awk -v exact="$(jq .exact json)" 'NR == FNR { true_count[$1] = $2; next }
        $1 in true_count { seen[$1] = 1; off = $2 - true_count[$1]; off = off < 0 ? -off : off
            if (off && (exact == "true" || $3 == "true" || ($4 >= 0 && $4 < off))) { print "line " $1 ": " $2 ", not " true_count[$1] ", exact: " exact ", bound " $4; bad = 1 } }
        $1 in true_count && ($5 > true_count[$1] || ($2 == "0" && true_count[$1])) { print "line " $1 ": " $2 ", at least " $5 ", not " true_count[$1]; bad = 1 }
        END { for (line in true_count) if (!(line in seen)) { print "line " line " is not there"; bad = 1 } exit bad }' wanted got ||
        fail "$program $*"
    case $expected,$(jq .exact json) in
    exact,true | declared,false) ;;
    *) fail "$program $*: $expected expected: $("$cotree" report ./$program ./*.cotree | sed -n 1,3p)" ;;
    esac
}

build() { # PROGRAM SOURCE FLAGS...: with counters, and plain with true counts
    local program=$1 source=$2
    shift 2
    "$cotree" cc $flags "$@" "$here/$source" -o $program
    "clang-$LLVM" $flags -DTRUTH "$here/$source" $(printf "%s\n" "$@" | grep -v "^-fcotree") -o $program.plain
}
