# Helpers for tests of traces: what is regenerated is compared with what every block reports of
# itself (tests/trace/programs/reporter.c).
#   run LEVEL SOURCE PROCESSES [OPTION...]   compiles a program of tests/trace/programs plainly and
#                                            traced, and compares outputs and sequences
#   same PROGRAM PROCESSES [SHORT]           compares the sequences of a run that is done
: "${LLVM:=19}"
here=$COTREE_TOP/tests/trace/programs
cotree=$COTREE_BUILD/cotree
export COTREE_FOLLOWER=off
fail() { echo "$*" >&2; exit 1; }
. "$COTREE_TOP/tests/lib/build_once.sh"
. "$COTREE_TOP/tests/lib/cxx_standard.sh"
build_once reporter.o "clang-$LLVM" -O2 -Wall -Wextra -Werror -c "$here/reporter.c"

# same PROGRAM PROCESSES [SHORT]: for each process of it the two sequences, thread by thread, and
# handlers by their signal. Control that was interrupted between calls may have passed some blocks
# (SHORT at most) since it last wrote a byte.
same() {
    local file pid number=0
    for file in reported.*; do
        pid=${file#reported.}
        "$cotree" trace --export=blocks "./$1" "$1.$pid.cotree" >exported 2>messages ||
            fail "$1: $pid: $(cat messages)"
        awk '$1 == "thread" { key = $2 " " ($3 == "signal" ? $4 : 0); next } { print key, $0 }' exported |
            sort -s -k 1,2 >regenerated
        sort -s -k 1,2 "$file" >wanted
        if [ $(($(wc -l <wanted) - $(wc -l <regenerated))) -le "${3:-0}" ]; then
            head -n "$(wc -l <regenerated)" wanted >shortened && mv shortened wanted
        fi
        cmp -s wanted regenerated ||
            fail "$1, process $pid: $(diff wanted regenerated |
            head -n 5) ($(wc -l <wanted) blocks; $(cat messages))"
        number=$((number + 1)) blocks=$((blocks + $(wc -l <wanted)))
    done
    [ $number = "$2" ] || fail "$1: $number processes reported, not $2"
    rm -f reported.* ./*.cotree*
}

# run LEVEL SOURCE PROCESSES [OPTION...]
run() {
    local level=$1 source=$2 processes=$3 driver=cc clang=clang-$LLVM program standard
    shift 3
    standard=$(cxx_standard "$source")
    program=${source%.*}
    case $source in *.cpp) driver="c++ -std=$standard" clang="clang++-$LLVM -std=$standard" ;; esac
    "$cotree" $driver -O"$level" -w -fcotree=trace -fcotree-trace=report "$@" "$here/$source" reporter.o \
        -pthread -o "$program" || fail "$source, -O$level: not compiled"
    # shellcheck disable=SC2086
    build_once plain $clang -O"$level" -w "$here/$source" reporter.o -pthread
    blocks=0
    ./plain >plain.out
    ./"$program" >traced.out || fail "$source, -O$level: status $?"
    cmp plain.out traced.out || fail "$source, -O$level: another output"
    same "$program" "$processes"
    [ $blocks -gt 200 ] || fail "$source: only $blocks blocks"
    echo "$source -O$level $*: $blocks blocks"
}
