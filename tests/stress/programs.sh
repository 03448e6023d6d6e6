#!/usr/bin/env bash
# Random programs, judged by counters of their own: tests/stress/programs.sh [RUNS [SEED]] (`make
# stress KIND=programs RUNS=N SEED=N`).
#
# Case SEED, SEED + 1, ... each is a program (programs/generate.c), options to compile it with, and
# a way to end it, all chosen by its number. The program counts on each line itself how often that
# ran; the lines and entries of `cotree report` must be these numbers, or be declared not exact by a
# bound that covers the difference (programs/judge.awk). Where every run is the same, the numbers
# are those of a plain build, which must also do the same; where it is not, those of the very run,
# three times with another moment (TIMES=N). Some reports are made by readers with ASan and UBSan,
# too, if there are any.
#
# A case that fails is made smaller, by leaving out statements; what is left is printed with its
# command. JOBS=N cases run at a time (all cores); ONLY=REGEX: those of which "KIND LEVEL SETS END"
# matches; KEEP=DIRECTORY: the files of those that fail; NOT_SMALLER=1: as they are.
set -u
COTREE_TOP=${COTREE_TOP:-$(cd "$(dirname "$0")/../.." && pwd)}
COTREE_BUILD=${COTREE_BUILD:-$COTREE_TOP/build}
export COTREE_TOP COTREE_BUILD LC_ALL=C
unset COTREE COTREE_RUN COTREE_FILE
runs=${1:-1000} seed=${2:-1}
[ -n "$runs" ] || runs=1000
[ -n "$seed" ] || seed=1
here=$COTREE_TOP/tests/stress/programs
work=$(mktemp -d "${TMPDIR:-/tmp}/cotree-programs.XXXXXX")
trap 'rm -rf "$work"' EXIT
clang=clang-${LLVM:-19}
"$clang" -std=gnu17 -O1 -Wall -Wextra -Werror "$here/generate.c" -o "$work/generate" || exit 1
export here work clang

# choose NUMBER: kind, level, sets, how, moment and language of a case.
choose() {
    local state=$(($1 * 7919 + 17)) number
    next() {
        state=$(((state * 6364136223846793005 + 1442695040888963407) & 0x7fffffffffffffff)); number=$(((state >> 20) % $1))
    }
    local kinds=(c c c++ c++ timed timed) levels=(-O0 -O1 -O2 -O2 -O3 -Os) hows=(end end end kill term alarm)
    local all=(edges edges paths trace trace "edges,paths" "edges,trace" "edges,paths,trace" \
        "edges -fcotree-durable" "paths -fcotree-durable" "edges,every-edge" "trace,every-edge")
    next 2; next ${#kinds[@]}; kind=${kinds[number]}
    next ${#levels[@]}; level=${levels[number]}
    next ${#all[@]}; sets=${all[number]}
    next ${#hows[@]}; how=${hows[number]}
    next 20000; moment=$((number + 50))
    next 8; sanitized=$((number == 0))
    suffix=c language=cc compiler=$clang standard=gnu17
    if [ "$kind" = c++ ]; then suffix=cc language=c++ compiler=clang++-${LLVM:-19} standard=c++20; fi
    # Every other C++ program is inlined into a few huge functions: exceptions then land in the frame
    # that they leave, and clean-ups go on without the unwinder.
    case $kind$level$(($1 % 2)) in c++-O01) ;; c++*1) level="$level -mllvm -inline-threshold=3000" ;; esac
    case $(($1 / 2 % 3)) in 0) level="$level -g" ;; esac # locations carry more then
    case $how in kill) end=9 ;; term) end=15 ;; alarm) end=14 ;; *) end= ;; esac
    case $kind$how in timedalarm) end=15 how=term ;; esac # it handles SIGALRM
    case $kind$end in c | c++) same_run=0 ;; *) same_run=1 ;; esac
}
# run PROGRAM: it, and all its children, which hold its standard output; how it ended goes to `status`.
run() {
    local rounds=1
    if [ -n "$end" ]; then rounds=1000000; fi
    # shellcheck disable=SC2086
    { { TRUTH_FILE=$PWD/truth.$1 timeout -s KILL "${limit:-600}" "./$1" $rounds $end ${end:+$moment} \
        2>err; echo $? >status; } | cat >out; } 2>/dev/null
}
# build DROPPED...: ./counted, and ./plain where every run is the same.
build() {
    local options="-std=$standard -w -pthread -I$here"
    "$work/generate" "$kind" "$case" "$@" >"case.$suffix"
    threads=$(sed -n '1s/.*threads: //p' "case.$suffix")
    # Where a call became a jump nobody sees whether it returned; in a child of fork, made in such a call, the
    # caller counts as left (docs/limits.md).
    if grep -q "fork()" "case.$suffix"; then options="$options -fno-optimize-sibling-calls"; fi
    verdict="broken: does not build"
    # shellcheck disable=SC2086
    if [ "$same_run" = 1 ]; then
        "$COTREE_BUILD/cotree" $language $options $level -fcotree=$sets -DTRUTH "case.$suffix" -o counted \
            2>wrong
    else
        "$COTREE_BUILD/cotree" $language $options $level -fcotree=$sets "case.$suffix" -o counted 2>wrong &&
            $compiler $options -O1 -DTRUTH "case.$suffix" -o plain 2>wrong
    fi
}
# try: runs ./counted; what is wrong, if anything, goes to `wrong`, and what came of it to `verdict`.
try() {
    local reported=0 over=0 tails=0 children=0 file
    rm -rf data truth.* numbers
    : >wrong
    mkdir data
    COTREE_FILE=$PWD/data/%p.cotree run counted
    if [ "$same_run" = 1 ]; then
        over=$threads
        if [ -n "$end" ]; then over=$((threads + 1)); fi
        # it may stand in a handler, and where that interrupted it
        if [ "$kind" = timed ]; then over=$((2 * over)); fi
        verdict="broken: ended with $(cat status)"
        if [ "$(cat status)" = 137 ] && [ "$end" != 9 ]; then echo "hangs" >wrong; return 1; fi
        file=truth.counted
    else
        cat out err status >counted.out
        run plain
        cat out err status | sed 's/plain/counted/' >plain.out
        verdict="broken: does something else"
        diff plain.out counted.out >wrong || return 1
        if [ "$level" != -O0 ]; then tails=1; fi
        file=truth.plain
    fi
    "$COTREE_BUILD/cotree" report --format=json -o json counted data 2>said || reported=$?
    verdict="broken: report ends with $reported: $(head -n 1 said)"
    if [ $reported != 0 ] || [ -s said ]; then cp said wrong; return 1; fi
    od -An -v -t u8 -w8 $file >numbers
    if [ "$kind" = c++ ]; then children=$(($(find data -name '*.cotree' | wc -l) - 1)); fi
    verdict="broken: no judgement"
    jq -r --arg source "case.$suffix" -f "$here/judge.jq" json >words 2>wrong &&
        awk -v over="$over" -v tails="$tails" -v children="$children" -f "$here/judge.awk" "case.$suffix" \
        numbers words >judged 2>wrong
    sed '$d' judged >>wrong
    if [ -s wrong ]; then verdict="wrong: $(head -n 1 wrong)"; return 1; fi
    verdict=$(tail -n 1 judged)
    case $verdict in exact | declared*) ;; *) return 1 ;; esac
    if [ "$sanitized" = 1 ] && [ -x "$COTREE_BUILD/asan/cotree" ]; then
        verdict="broken: a reader with sanitizers"
        "$COTREE_BUILD/asan/cotree" report --format=json -o json.asan counted data >wrong 2>&1 &&
            cmp json json.asan >wrong 2>&1 || return 1
        case $sets in
        *trace* | *paths*)
            "$COTREE_BUILD/asan/cotree" report --paths -o listed counted data >wrong 2>&1 || return 1
            ;;
        esac
        case $sets in
        *trace*)
            for file in data/*.cotree; do
                "$COTREE_BUILD/asan/cotree" trace counted "$file" >listed 2>wrong ||
                    { ! grep -q 'Sanitizer\|runtime error' wrong || return 1; }
            done
            ;;
        esac
        verdict=$(tail -n 1 judged)
    fi
    return 0
}
# wrong_with TIMES DROPPED...: one try is enough where every run is the same.
wrong_with() {
    local times=$1 first=$moment result=0
    shift
    build "$@" || return 1
    if [ "$same_run" = 0 ]; then times=1; fi
    for ((; times > 0; times--)); do
        try || { result=1; break; }
        moment=$((moment * 7 % 19997 + 50))
    done
    moment=$first
    return $result
}
# smaller: leaves out what is not needed to see it; the outermost statements first.
smaller() {
    local id tries=0 wanted=${verdict%%:*} last dropped=()
    last=$("$work/generate" "$kind" "$case" | sed -n 's/^ *\/\/ \([0-9]*\)$/\1/p' | sort -n | tail -n 1)
    for ((id = 0; id <= last && tries < ${TRIES:-150}; id++)); do
        "$work/generate" "$kind" "$case" "${dropped[@]}" | grep -q "^ *// $id\$" || continue
        tries=$((tries + 1))
        if ! limit=20 wrong_with 10 "${dropped[@]}" "$id" && [ "${verdict%%:*}" = "$wanted" ]; then
            dropped+=("$id")
        fi
    done
    "$work/generate" "$kind" "$case" "${dropped[@]}" >"case.$suffix"
    echo "    generate $kind $case ${dropped[*]}   # $(grep -c . "case.$suffix") lines are left," \
        "$(grep -c 'S(' "case.$suffix") of them counted"
}
one() {
    case=$1
    local dir=$work/$1
    choose "$1"
    [[ "$kind $level $sets $how" =~ ${ONLY-} ]] || return 0
    mkdir "$dir" && cd "$dir" || exit 1
    if wrong_with "${TIMES:-3}"; then
        echo "$kind $how ${sets// /} | $verdict" >"$work/$1.result"
    else
        local first=$verdict
        {
            echo "FAILED  case $1: $kind $level -fcotree=$sets, $how${end:+ after $moment microseconds}: $first"
            head -n 12 wrong | sed 's/^/        /'
            echo "    make stress KIND=programs RUNS=1 SEED=$1"
            if [ -z "${NOT_SMALLER-}" ]; then smaller; fi
            if [ -n "${KEEP-}" ]; then
                mkdir -p "$KEEP" && rm -rf "${KEEP:?}/$1" && cp -r "$dir" "$KEEP/$1"
            fi
        } >"$work/said.$1"
        cat "$work/said.$1"
        echo "$kind $how ${sets// /} | $first" >"$work/$1.result"
    fi
    cd "$work" && rm -rf "$dir"
}
export -f choose run build try wrong_with smaller one
seq "$seed" $((seed + runs - 1)) | xargs -P "${JOBS:-$(nproc)}" -I{} bash -c 'one {}'
cat "$work"/*.result | awk -F ' [|] ' '{
        split($2, word, /[: ]/); split($1, part, " "); n[word[1]]++; by["programs  " part[1], word[1]]++;
            by["ended by  " part[2], word[1]]++; by["counters  " part[3], word[1]]++
        for (i = 1; i <= 3; i++)
            rows[(i == 1 ? "programs  " : i == 2 ? "ended by  " : "counters  ") part[i]] = 1
        if (word[1] == "declared") why[$2]++
    }
    END {
        for (r in rows) printf "%-40s exact %d, declared %d, wrong %d, broken %d\n", r, by[r, "exact"],
            by[r, "declared"], by[r, "wrong"], by[r, "broken"] | "sort"
        close("sort")
        for (w in why) printf "%6d %s\n", why[w], substr(w, 1, 150) | "sort -rn | head -n 12"
        close("sort -rn | head -n 12")
        printf "%d cases: exact %d, declared %d, wrong %d, broken %d\n", NR, n["exact"], n["declared"],
            n["wrong"], n["broken"]
        exit NR == 0 || n["broken"] || n["wrong"]
    }'
