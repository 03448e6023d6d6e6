# What tests/programs/run and bench/run share: building one of the Debian programs with some
# compiler, and running its fixed work.
#
# A recipe, recipes/NAME.sh, says how:
#   programs=...     the executables, relative to the build folder
#   configure        in an empty build folder, with SRC, CC, CXX and CFLAGS in the environment
#   compile          in the same folder
#   inputs           in an empty folder: makes what the work reads, from SRC and from nothing else
#                    that changes
#   workload         in a folder with copies of the executables and the inputs: runs them, each
#                    behind $RUN, and leaves its outputs there
#   failures         in the same folder after it: makes them fail in their ways (failing.sh says
#                    with what); bench/run leaves it out
#   language=C++     where it is not C
#   unit=...         optional: the source file on which bench/run measures what compiling costs
#   own_tests        optional, in the build folder: the package's own tests, where they are short
#
# A main program of our own, where the package is a library, is recipes/NAME.c or NAME.cpp. Without
# a build system all sources are compiled at
# once: `$CC $CFLAGS -o PROGRAM SOURCE...`.
#
# Every run has the same folder name, program names, environment and signals, without address
# randomisation: what a program does may depend on them.
PROGRAMS_CACHE=${COTREE_PROGRAMS:-/tmp/cotree-programs}
PROGRAMS_TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
RECIPES=$PROGRAMS_TOP/tests/programs/recipes
COTREE_BUILD=${COTREE_BUILD:-$PROGRAMS_TOP/build}
LLVM=${LLVM:-19}
CLANG="clang-$LLVM"
export PROGRAMS_CACHE PROGRAMS_TOP RECIPES COTREE_BUILD LLVM CLANG
export LC_ALL=C TZ=UTC FORCE_UNSAFE_CONFIGURE=1 MAKEFLAGS=
unset COTREE COTREE_FILE COTREE_RUN LLVM_PROFILE_FILE MAKELEVEL

program_names() { sed -n 's/^\([^#=]*\)=.*/\1/p' "$PROGRAMS_TOP/tests/programs/versions.txt"; }
# Those that docs/papers.md was made with.
first_programs() { program_names | sed /^m4$/q; }

# What the recipe of cotree was found on, or was measured on while it was: looked at, and so in the
# open half whatever the hash of their names says.
LOOKED_AT="gzip bzip2 sed grep flex lua5.4 zlib xz-utils gawk sqlite3 diffutils bc mawk lzip gperf lz4 m4 minisat2 re2 snappy tinyxml2 libjsoncpp pugixml zopfli brotli"

# program_half NAME: open, or sealed: of a sealed program only numbers may be looked at, never its
# code, so that they tell what cotree costs on programs that nobody has seen. Nobody chooses: the
# first hexadecimal digit of the name's SHA-256 is even (open) or odd.
program_half() {
    case " $LOOKED_AT " in *" $1 "*) echo open && return ;; esac
    case $(printf '%s' "$1" | sha256sum) in [02468ace]*) echo open ;; *) echo sealed ;; esac
}
program_language() { (. "$RECIPES/$1.sh" && echo "${language:-C}"); }

# in_recipe NAME COMMAND ARG...: runs one of the recipe's functions in a shell of its own that ends
# at the first failure. -e is set in a new process because bash ignores it in functions that are
# called under a condition.
in_recipe() {
    SRC=$PROGRAMS_CACHE/src/$1 bash -euc '. "$RECIPES/$1.sh"; shift; "$@"' in_recipe "$@"
}

program_has() { (. "$RECIPES/$1.sh" && declare -F "$2" >/dev/null); }
program_files() { (. "$RECIPES/$1.sh" && echo "$programs"); }

# program_configure NAME DIR CC CXX and program_compile NAME DIR CC CXX; the log is DIR.log.
program_configure() {
    rm -rf "$2"
    mkdir -p "$2"
    (cd "$2" && CC=$3 CXX=$4 CFLAGS=-O2 CXXFLAGS=-O2 in_recipe "$1" configure) >"$2.log" 2>&1 </dev/null
}
# The makefiles of most packages let CC be given again; one tree configured once can so be compiled
# by several compilers.
program_compile() {
    (cd "$2" &&
        CC=$3 CXX=$4 CFLAGS=-O2 CXXFLAGS=-O2 MAKEFLAGS="CC=$(make_word "$3") CXX=$(make_word "$4")" \
        in_recipe "$1" compile) >>"$2.log" 2>&1 </dev/null
}
# A word of MAKEFLAGS: blanks and dollars quoted.
make_word() { printf '%s' "$1" | sed 's/\\/\\\\/g; s/ /\\ /g; s/\$/$$/g'; }

# program_inputs NAME: makes the inputs once; prints their folder.
program_inputs() {
    local dir=$PROGRAMS_CACHE/inputs/$1 key
    key=$(cat "$RECIPES"/"$1".* "$RECIPES"/*.awk "$PROGRAMS_CACHE/src/$1.version" | sha256sum)
    if [ "$(cat "$dir.done" 2>/dev/null)" != "$key" ]; then
        rm -rf "$dir" "$dir.done"
        mkdir -p "$dir"
        (cd "$dir" && in_recipe "$1" inputs) || return 1
        echo "$key" >"$dir.done"
    fi
    echo "$dir"
}

# program_stage NAME BUILD DIR: a folder to run in: inputs, and the executables by their last name.
program_stage() {
    local file inputs
    inputs=$(program_inputs "$1") || return 1
    rm -rf "$3"
    mkdir -p "$3"
    cp -a "$inputs"/. "$3"/ # with their times: gzip writes them into its output
    for file in $(program_files "$1"); do
        cp "$2/$file" "$3"/ || return 1
    done
}

# program_work NAME DIR PREFIX [VAR=VALUE...]: runs the work in DIR, every process behind PREFIX.
# DIR is entered through a path of fixed length.
program_work() {
    local name=$1 dir=$2 prefix=$3
    shift 3
    (cd "$dir" &&
        env -i --default-signal PATH="$PATH" HOME=/ LC_ALL=C TZ=UTC RECIPES="$RECIPES" RUN="$prefix" \
        SRC="$PROGRAMS_CACHE/src/$name" "$@" \
        setarch -R bash -euc '. "$RECIPES/$1.sh"; workload' work "$name") </dev/null
}

# program_failures NAME DIR [VAR=VALUE...]: makes the programs fail, in the folder where the work was done.
program_failures() {
    local name=$1 dir=$2
    shift 2
    (cd "$dir" &&
        env -i --default-signal PATH="$PATH" HOME=/ LC_ALL=C TZ=UTC RECIPES="$RECIPES" \
        SRC="$PROGRAMS_CACHE/src/$name" "$@" \
        setarch -R bash -euc '. "$RECIPES/$1.sh"; . "$RECIPES/../failing.sh"; failures' failures "$name") \
        </dev/null
}

# program_outputs DIR: a checksum of each output file; executables and data files left out.
program_outputs() {
    (cd "$1" &&
        find . -type f ! -perm -u+x ! -name '*.cotree' ! -name '*.gcda' ! -name '*.profraw' \
            ! -name '*.irefs*' ! -name '*.rss' | sort | xargs sha256sum)
}
