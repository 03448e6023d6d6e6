#!/usr/bin/env bash
# Jumps that could pass the runtime by: found by name, bound to the C library by RTLD_DEEPBIND or dlmopen, written in assembly, made by the compiler in code
# without counters. Lines have the counts that a plain build of the program counts itself, or are declared, with a bound that covers the difference.
set -eu
here=$COTREE_TOP/tests/runtime/jumps cotree=$COTREE_BUILD/cotree
fail() { echo "$*"; exit 1; }
flags="-O1 -g -w -D_GNU_SOURCE -I$here"

# judge EXPECTED SOURCE PROGRAM ARGS...: runs it, plain with true counts and with counters, and compares lines. EXPECTED is exact, declared or either of them.
judge() {
    local expected=$1 source=$2 program=$3
    shift 3
    rm -f truth ./*.cotree*
    [ "$(COTREE=off TRUTH_FILE=truth ./$program.plain "$@")" = "$(./$program "$@")" ] || fail "$program $*: other output"
    "$cotree" report --format=json ./$program ./*.cotree >json
    od -An -v -t u8 -w8 truth | awk '$1 { print NR - 1, $1 }' >true.list
    grep -n '^ *T;$' "$here/$source" | cut -d: -f1 | while read -r line; do
        echo "$line $(awk -v line=$line '$1 == line { print $2; found = 1 } END { if (!found) print 0 }' true.list)"
    done >wanted
    [ "$(awk '{ sum += $2 } END { print (sum > 0) }' wanted)" = 1 ] || fail "$program $*: no true counts"
    # LINE COUNT EXACT BOUND; the bound of the function that the line is in, -1 if it is not known
    jq -r --arg source "$source" '[.functions[] | select(.file // "" | endswith("/" + $source))] as $functions |
        .files[] | select(.file | endswith("/" + $source)) | .lines[] | . as $line |
        ($functions | map(select(.line <= $line.line)) | max_by(.line)) as $f |
        "\(.line) \(.count) \(.exact != false) \($f.max_error // -1)"' json >got
    awk -v exact="$(jq .exact json)" 'NR == FNR { true_count[$1] = $2; next }
        $1 in true_count { seen[$1] = 1; off = $2 - true_count[$1]; off = off < 0 ? -off : off
            if (off && (exact == "true" || $3 == "true" || ($4 >= 0 && $4 < off))) { print "line " $1 ": " $2 ", not " true_count[$1] ", exact: " exact ", bound " $4; bad = 1 } }
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
    "clang-$LLVM" $flags -DTRUTH "$here/$source" -o $program.plain
}
for mode in edges paths durable trace; do
    case $mode in durable) option=-fcotree-durable ;; *) option=-fcotree=$mode ;; esac

    build lookup lookup.c $option
    for way in handle siglongjmp version next default lookup; do
        judge exact lookup.c lookup $way
    done

    build assembly assembly.c $option
    case $mode in trace) judge exact assembly.c assembly ;; *) judge declared assembly.c assembly ;; esac

    # Over a function of the host, by a library without counters.
    build host host.c $option
    "clang-$LLVM" $flags -shared -fPIC "$here/lib.c" -o lib.so
    for way in deep lazy list; do
        judge declared host.c host $way
    done
    [ $mode = trace ] || judge exact host.c host plain

    # By one with counters, in itself.
    "$cotree" cc $flags $option -shared -fPIC "$here/lib.c" -o lib.so
    [ $mode = trace ] || for way in deep list; do judge declared host.c host $way; done
done

# Nothing but counted ends tells of this one (docs/runtime.md, known gaps).
"clang-$LLVM" -O0 -c "$here/builtin-plain.c" -o plain.o
"$cotree" cc $flags -fcotree-durable -c "$here/builtin.c" -o builtin.o
"$cotree" cc builtin.o plain.o -o builtin
"clang-$LLVM" $flags -DTRUTH "$here/builtin.c" plain.o -o builtin.plain
judge declared builtin.c builtin
