# The programs of tests/frames/programs: what they are made of, what they must do, how they are run. Sourced by the tests beside it.
#
# NAME.c or NAME.cpp is the program. NAME.2.c or .cpp is a second unit of it, NAME.so.c or .cpp a counted shared library, NAME.plain.c or .cpp
# a shared library that is not counted. The first comment says what it shows, and below that
#   group: WORD      the test that runs it
#   output: TEXT     a line that it writes (stdout and stderr); @ is the directory of the programs
#   status: N        or  signal: N    how it ends
#   send: N WHEN     it gets signal N once it has written "ready" and is `asleep` in a system call, or `busy`
#   without: WORD    variants in which it makes no sense
# Functions whose names begin with any_ run a number of times that depends on time. All other counts are the same in every run and build, and a comment
# `count: N` at the end of a line says how often that line runs.
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

# program_names [GROUP]
program_names() {
    local file name
    for file in "$programs"/*.c "$programs"/*.cpp; do
        name=${file##*/}
        case $name in *.*.*) continue ;; esac
        if [ $# -eq 0 ] || [ "$(said "${name%.*}" group)" = "$1" ]; then echo "${name%.*}"; fi
    done
}
# program_source NAME[.PART]: its file, if there is one.
program_source() {
    if [ -e "$programs/$1.c" ]; then echo "$programs/$1.c"; elif [ -e "$programs/$1.cpp" ]; then echo "$programs/$1.cpp"; fi
}
# said NAME WORD: what the program's comment says.
said() { sed -n "1,/\*\//{s|^ \* $2: ||p}" "$(program_source "$1")"; }

is_cxx() { case $(program_source "$1") in *.cpp) return 0 ;; esac; [ -e "$programs/$1.2.cpp" ]; }
# flags_for FILE: warnings are not what is tested here.
flags_for() { case $1 in *.cpp) echo "-w -std=c++20 -pthread" ;; *) echo "-w -std=gnu17 -pthread" ;; esac; }
clang_for() { case $1 in *.cpp) echo clang++-19 ;; *) echo clang-19 ;; esac; }
cotree_for() { case $1 in *.cpp) echo "$cotree c++" ;; *) echo "$cotree cc" ;; esac; }

# expected NAME: output and ending, as `launch` writes them.
expected() {
    said "$1" output | sed "s|@|$programs|"
    said "$1" status | sed 's/^/status /'
    said "$1" signal | sed 's/^/signal /'
}
# run_program NAME PROGRAM OUTPUT [VAR=VALUE...]: OUTPUT must be what is expected, but for whether there is a core file.
run_program() {
    local name=$1 program=$2 output=$3
    shift 3
    # shellcheck disable=SC2046
    env "$@" ./launch "$output" "$program" $(said "$name" send)
}
as_expected() { # NAME OUTPUT
    expected "$1" | diff - <(sed 's/^\(signal [0-9]*\) core$/\1/' "$2")
}
build_launcher() { clang-19 -O1 -w "$COTREE_TOP/tests/frames/launch.c" -o launch; }
