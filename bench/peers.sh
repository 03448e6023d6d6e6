#!/usr/bin/env bash
# What is left of a profile when a program does not end well: `bench/peers.sh [PROGRAM...]` prints a
# table (markdown) of gcov, clang's profiles and cotree.
#
# The programs are those of tests/frames/programs; what their lines must count stands in their
# comments and is checked by plain counters (tests/frames/counts-in-comments.test.sh). Each is built
# and run with
#   gcov               gcc --coverage -O0, and with -O2
#   clang              clang -O2 -fprofile-instr-generate -fcoverage-mapping
#   clang, atomic      the same with -fprofile-update=atomic
#   clang, continuous  the same with counters in a mapped file (%c, -mllvm -runtime-counter-relocation)
#   cotree             cotree cc -O2
# and a cell says how many of those lines have a wrong count, and how far the worst of them is off,
# or that no profile was left at all. A line that a tool does not list is not called wrong; the cell
# says how many there are.
# Data of all processes of a run are added up: gcov does so itself, clang's files have the process
# number in their names (%p).
set -u
export COTREE_TOP=$(cd "$(dirname "$0")/.." && pwd)
export COTREE_BUILD=${COTREE_BUILD:-$COTREE_TOP/build}
. "$COTREE_TOP/tests/frames/programs.sh"
llvm=${LLVM:-19}
work=$(mktemp -d "${TMPDIR:-/tmp}/cotree-peers.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset COTREE COTREE_FILE COTREE_RUN LLVM_PROFILE_FILE GCOV_PREFIX
build_launcher

# name | what it is called in the table
situations() {
    cat <<'LIST'
return|returns from `main` (nothing happens)
exit-inlined|`exit` in an inlined function
exit-in-atexit|`exit` in an `atexit` function
_exit|`_exit`
quick-exit|`quick_exit`
abort|`abort`
assert|failed `assert`
segv|SIGSEGV
segv-jump|SIGSEGV, caught, `siglongjmp`
stack-overflow|stack overflow
term-blocked|SIGTERM from outside
longjmp-inlined|`longjmp` over inlined frames
longjmp-loop|`longjmp`, 100,000 times
alarm-longjmp|SIGALRM jumps out of a loop, 2,000 times
throw-no-cleanup|C++ exceptions without clean-ups
throw-nested|C++ exceptions inside destructors
throw-uncaught|an uncaught C++ exception
pthread-exit-nested|`pthread_exit`, nested
cancel-sleep|`pthread_cancel`
exit-blocked-threads|the end with eight threads blocked
threads-race|four threads that count at once
longjmp-threads|eight threads that jump at once
fork-deep|`fork`, ten frames deep
fork-exits|children of `fork` that end in eight ways
vfork-_exit|`vfork`
exec|`exec` with a thread alive
inexact-kill-9|`kill -9`
LIST
}

# build TOOL NAME: TOOL/program
build() {
    local tool=$1 part source compiler flags objects=()
    for part in "$2" "$2.2"; do
        source=$(program_source "$part")
        if [ -z "$source" ]; then continue; fi
        case $tool in
        gcov*)
            flags="--coverage -${tool#gcov}"; case $source in *.cpp) compiler=g++ ;; *) compiler=gcc ;; esac
            ;;
        cotree) flags=-O2; compiler=$(cotree_for "$source") ;;
        *)
            flags="-O2 -fprofile-instr-generate -fcoverage-mapping"
            if [ "$tool" = clang-atomic ]; then flags="$flags -fprofile-update=atomic"; fi
            if [ "$tool" = clang-continuous ]; then flags="$flags -mllvm -runtime-counter-relocation"; fi
            case $source in *.cpp) compiler=clang++-$llvm ;; *) compiler=clang-$llvm ;; esac
            ;;
        esac
        # shellcheck disable=SC2086,SC2046
        $compiler $(flags_for "$source") $flags -c "$source" -o "$tool/unit${#objects[@]}.o" || return 1
        objects+=("$tool/unit${#objects[@]}.o")
    done
    $compiler -pthread $flags "${objects[@]}" -o "$tool/program"
}
# lines TOOL: "FILE:LINE COUNT" of what it left; nothing if it left nothing.
lines() {
    local tool=$1 data
    case $tool in
    gcov*)
        for data in "$tool"/*.gcda; do
            if [ -e "$data" ]; then gcov --json-format --stdout -o "$tool" "$data" 2>"$tool/log"; fi
        done |
            jq -r '.files[] | (.file | sub(".*/"; "")) as $f | .lines[] | "\($f):\(.line_number) \(.count)"' |
            awk '{ sum[$1] += $2 } END { for (l in sum) printf "%s %.0f\n", l, sum[l] }'
        ;;
    cotree)
        "$cotree" report --format=json cotree/program cotree/data -o cotree/json 2>cotree/log || return
        jq -r '.files[] | (.file | sub(".*/"; "")) as $f | .lines[] | "\($f):\(.line) \(.count)"' cotree/json
        ;;
    *)
        find "$tool" -name '*.profraw' -empty -delete # made at the start, and never written
        if ! ls "$tool"/*.profraw >"$tool/log" 2>&1; then return; fi
        llvm-profdata-$llvm merge "$tool"/*.profraw -o "$tool/profdata" 2>"$tool/log" || return
        llvm-cov-$llvm export -format=lcov "$tool/program" -instr-profile="$tool/profdata" 2>"$tool/log" |
            awk -F '[:,]' '/^SF:/ { n = split(substr($0, 4), path, "/") } /^DA:/ { print path[n] ":" $2, $3 }'
        ;;
    esac
}
# judge TOOL NAME: the cell.
judge() {
    local tool=$1 name=$2 more=
    rm -rf "$tool"; mkdir -p "$tool/data"
    build "$tool" "$name" >"$tool/log" 2>&1 || { echo "does not build"; return; }
    case $tool in clang-continuous) more=%c ;; esac
    run_program "$name" "$tool/program" "$tool/output" LLVM_PROFILE_FILE="$PWD/$tool/%p$more.profraw" \
        COTREE_FILE="$PWD/$tool/data/%p.cotree"
    if [ "$(expected "$name" | tail -n 1)" != "$(tail -n 1 "$tool/output" | sed 's/ core$//')" ]; then
        echo "**the program ends differently**"; return
    fi
    lines "$tool" >"$tool/lines"
    if [ ! -s "$tool/lines" ]; then echo "**no profile**"; return; fi
    awk '
        function group(n) {
            n = sprintf("%d", n)
            while (match(n, /^[0-9]+[0-9][0-9][0-9]($|,)/)) {
                k = index(n ",", ",") - 4
                n = substr(n, 1, k) "," substr(n, k + 1)
            }
            return n
        }
        FNR == NR { claim[$1] = $2; n++; next }
        { count[$1] = $2 }
        END {
            for (l in claim) {
                if (!(l in count)) { missing++; continue }
                d = count[l] - claim[l]; if (d < 0) d = -d
                if (d) wrong++; if (d > worst) worst = d
            }
            if (wrong) printf "%d of %d lines wrong, by up to %s", wrong, n, group(worst); else printf "exact"
            if (missing) printf ", %d not listed", missing
        }' claims "$tool/lines"
    if [ "$tool" = cotree ] && [ "$(jq .exact cotree/json)" != true ]; then
        echo "; says that it may be off by $(jq \
            '[.functions[].max_error] | if any(. == null) then "any number" else max end' -r cotree/json)"
    else
        echo
    fi
}

# shellcheck disable=SC2015
echo "| situation | gcov, -O0 | gcov, -O2 | clang | clang, atomic | clang, continuous | cotree |"
echo "|---|---|---|---|---|---|---|"
situations | while IFS='|' read -r name text; do
    if [ $# -gt 0 ]; then case " $* " in *" $name "*) ;; *) continue ;; esac; fi
    for part in "$name" "$name.2"; do
        source=$(program_source "$part")
        if [ -n "$source" ]; then
            sed -n "s|.*/\* count: \([0-9]*\) \*/.*|\1|; t good; d; :good; =; p" "$source" |
                paste -d ' ' - - | sed "s|^|${source##*/}:|"
        fi
    done >claims
    row="| $text"
    for tool in gcovO0 gcovO2 clang clang-atomic clang-continuous cotree; do
        row="$row | $(judge $tool "$name")"
    done
    echo "$row |"
done
