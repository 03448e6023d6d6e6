# The programs of tests/corpus and how to build them: sourced by the tests in tests/exact.
# A test sets nothing; it gets $corpus, $cotree and the functions below.
corpus=$COTREE_TOP/tests/corpus
cotree=$COTREE_BUILD/cotree
export LC_ALL=C
failures=0
. "$COTREE_TOP/tests/lib/build_once.sh"
. "$COTREE_TOP/tests/lib/cxx_standard.sh"

# corpus_names [GLOB...]: the names of the programs, all or those that match.
corpus_names() {
    local file name glob
    for file in "$corpus"/*.c "$corpus"/*.cc; do
        name=${file##*/} name=${name%.*}
        case $name,${LLVM:-19} in
        *.2,*) continue ;;
        asm-goto,16)
            echo "skipped: asm-goto: clang 16 leaves outputs undefined where asm jumps" >&2; continue
            ;;
        esac
        if [ $# -eq 0 ]; then echo "$name"; continue; fi
        for glob; do
            # shellcheck disable=SC2254
            case $name in $glob) echo "$name"; break ;; esac
        done
    done
}

# corpus_units NAME: its source files.
corpus_units() {
    local file
    for file in "$corpus/$1.c" "$corpus/$1.cc" "$corpus/$1.2.c" "$corpus/$1.2.cc"; do
        if [ -e "$file" ]; then echo "$file"; fi
    done
}

# corpus_is_cxx NAME
corpus_is_cxx() { [ -e "$corpus/$1.cc" ]; }

# What every build of a corpus program is given: warnings are not what is tested here.
corpus_flags() {
    if corpus_is_cxx "$1"; then
        echo "-w -std=$(cxx_standard "$1") -pthread"
    else
        echo "-w -std=gnu17 -pthread"
    fi
}
corpus_libraries="-lm -latomic"

# corpus_clang NAME: the plain compiler for it; corpus_cotree NAME: cotree's.
corpus_clang() { if corpus_is_cxx "$1"; then echo clang++-${LLVM:-19}; else echo clang-${LLVM:-19}; fi; }
corpus_cotree() { if corpus_is_cxx "$1"; then echo "$cotree c++"; else echo "$cotree cc"; fi; }

# corpus_plain NAME PROGRAM: built at -O0 without cotree.
corpus_plain() {
    # shellcheck disable=SC2086,SC2046
    build_once "$2" $(corpus_clang "$1") $(corpus_flags "$1") -O0 $(corpus_units "$1") $corpus_libraries
}

# corpus_run PROGRAM OUTPUT [VAR=VALUE...]: output and, as the last line, the exit status. A program
# that hangs is ended and fails the comparison. The shell says nothing about signals.
corpus_run() {
    local program=$1 output=$2 status=0
    shift 2
    { env "$@" timeout -k 1 600 "$program" >"$output" 2>"$output.err" </dev/null || status=$?; } 2>/dev/null
    cat "$output.err" >>"$output"
    rm -f "$output.err"
    echo "status $status" >>"$output"
}

# failed WORDS...: notes a failure and goes on, so that one run shows them all; end with `finish`.
failed() {
    echo "$*"
    failures=$((failures + 1))
}
# same WHAT FILE FILE: the first lines that differ, if any do.
same() {
    if ! cmp -s "$2" "$3"; then
        failed "$1: $2 and $3 differ"
        diff "$2" "$3" | head -n "${SAME_LINES:-6}" | cut -c1-300
        return 1
    fi
}
finish() {
    if [ "$failures" -gt 0 ]; then
        echo "$failures differences"
        exit 1
    fi
}
