# The programs of tests/frames/programs: what they are made of, what they must do, how they are run.
# Sourced by the tests beside it.
#
# NAME.c or NAME.cpp is the program. NAME.2.c or .cpp is a second unit of it, NAME.so.c or .cpp a
# counted shared library, NAME.plain.c or .cpp a shared library that is not counted. The first
# comment says what it shows, and below that
#   group: WORD      the test that runs it
#   output: TEXT     a line that it writes (stdout and stderr); @ is the directory of the programs
#   status: N        or  signal: N    how it ends
#   send: N WHEN     it gets signal N once it has written "ready" and is `asleep` in a system call, or `busy`
#   without: WORD    variants in which it makes no sense
# Functions whose names begin with any_ run a number of times that depends on time. All other counts
# are the same in every run and build, and a comment `count: N` at the end of a line says how often
# that line runs.
. "$COTREE_TOP/tests/lib/build_once.sh"
. "$COTREE_TOP/tests/lib/cxx_standard.sh"
programs=$COTREE_TOP/tests/frames/programs
cotree=$COTREE_BUILD/cotree
export LC_ALL=C
failures=0

failed() {
    echo "$*"
    failures=$((failures + 1))
}
finish() {
    if [ "$failures" -gt 0 ]; then
        echo "$failures failures"
        exit 1
    fi
}

# What the comments say, read once: said_words[NAME WORD] is the text, of `output` in lines.
declare -A said_words=() sources=()
for file in "$programs"/*.c "$programs"/*.cpp; do
    name=${file##*/}
    sources[${name%.*}]=$file
done
while IFS=$'\t' read -r name word text; do
    said_words[$name $word]=${said_words[$name $word]+${said_words[$name $word]}$'\n'}$text
done < <(awk 'FNR == 1 { name = FILENAME; sub(/.*\//, "", name); sub(/\.[a-z]+$/, "", name);
    head = name !~ /\./ }
    head && /\*\// { head = 0 }
    head && match($0, /^ \* (group|output|status|signal|send|without|bound): /) { print name "\t" substr($0,
        4, RLENGTH - 5) "\t" substr($0, RLENGTH + 1) }' \
    "${sources[@]}")
unset file name word text
# said NAME WORD
said() { if [ -n "${said_words[$1 $2]+there}" ]; then printf '%s\n' "${said_words[$1 $2]}"; fi; }
# program_source NAME[.PART]: its file, if there is one.
program_source() { if [ -n "${sources[$1]+there}" ]; then echo "${sources[$1]}"; fi; }
# program_names [GROUP]
program_names() {
    local name
    for name in "${!sources[@]}"; do
        case $name in *.*) continue ;; esac
        if [ $# -eq 0 ] || [ "${said_words[$name group]-}" = "$1" ]; then echo "$name"; fi
    done | sort
}

is_cxx() { case ${sources[$1]-} in *.cpp) return 0 ;; esac; [ -n "${sources[$1.2]-}" ]; }
# flags_for FILE: warnings are not what is tested here.
flags_for() {
    case $1 in *.cpp) echo "-w -std=$(cxx_standard "$1") -pthread" ;; *) echo "-w -std=gnu17 -pthread" ;; esac
}
# counted_flags_for FILE: of cotree cc. Every other file has debug information, whose locations carry
# positions, too. FRAMES_DEBUG=-g or -g0: all files.
counted_flags_for() {
    local debug=${FRAMES_DEBUG-} sum
    sum=$(cksum <<<"${1##*/}")
    if [ -z "$debug" ] && [ $((${sum%% *} % 2)) = 1 ]; then debug=-g; fi
    echo "$(flags_for "$1") $debug"
}
# cxx_library NAME: what its link needs besides, if one of its parts is C++.
cxx_library() {
    local part
    for part in "$1" "$1.2" "$1.so" "$1.plain"; do
        case ${sources[$part]-} in *.cpp) echo -lstdc++; return ;; esac
    done
}
clang_for() { case $1 in *.cpp) echo clang++-${LLVM:-19} ;; *) echo clang-${LLVM:-19} ;; esac; }
cotree_for() { case $1 in *.cpp) echo "$cotree c++" ;; *) echo "$cotree cc" ;; esac; }

# expected NAME: output and ending, as `launch` writes them.
expected() {
    local output
    output=$(said "$1" output)
    echo "${output//@/$programs}"
    if [ -n "${said_words[$1 status]+there}" ]; then
        echo "status ${said_words[$1 status]}"
    else
        echo "signal ${said_words[$1 signal]}"
    fi
}
# run_program NAME PROGRAM OUTPUT [VAR=VALUE...]: OUTPUT must be what is expected, but for whether
# there is a core file.
run_program() {
    local name=$1 program=$2 output=$3
    shift 3
    # shellcheck disable=SC2046
    env "$@" ./launch "$output" "$program" $(said "$name" send)
}
as_expected() { # NAME OUTPUT
    local got wanted
    wanted=$(expected "$1") got=$(<"$2")
    case ${got##*$'\n'} in signal*core) got=${got% core} ;; esac
    if [ "$got" != "$wanted" ]; then diff <(echo "$wanted") <(echo "$got"); fi
}
build_launcher() { build_once launch "clang-${LLVM:-19}" -O1 -w "$COTREE_TOP/tests/frames/launch.c"; }
