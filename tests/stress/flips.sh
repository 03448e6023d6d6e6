#!/usr/bin/env bash
# `make stress KIND=flips`: RUNS SEED. Damages files of every kind, RUNS times each, and counts what
# becomes of the report: no other one may be called exact. FLIPS=KIND... chooses kinds. What nothing
# can know (unsealed, a file that was never sealed) is counted, and does not fail.
set -eu
here=$(cd "$(dirname "$0")" && pwd) top=$(cd "$(dirname "$0")/../.." && pwd)
runs=${1:-20000} seed=${2:-1}
[ -n "$runs" ] || runs=20000
[ -n "$seed" ] || seed=1
build=${COTREE_BUILD:-$top/build}
cotree=$build/cotree
unset COTREE COTREE_FILE COTREE_RUN
# should FLIPS_WITH have sanitizers inside: $build/asan/check/flips
export ASAN_OPTIONS=exitcode=99 UBSAN_OPTIONS=exitcode=99
work=$(mktemp -d "${TMPDIR:-/tmp}/cotree-flips.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
flips=${FLIPS_WITH:-$build/check/flips}
[ -x "$flips" ] || { echo "flips: $flips is not built: make stress KIND=flips" >&2; exit 2; }
workers=$(nproc)

# section FILE NAME: where it begins and ends in the file.
section() {
    readelf -WS "$1" | sed 's/^ *\[ *[0-9]*\] *//' |
        awk -v name="$2" '$1 == name { print strtonum("0x" $4), strtonum("0x" $4) + strtonum("0x" $5) }'
}
size_of() { stat -c %s "$1"; }

# make MODE...: prog, and run.cotree of one run of it.
make_run() {
    "$cotree" cc -O2 -pthread -D_GNU_SOURCE -w "$@" "$here/flips-program.c" -o prog
    rm -f run.cotree*
    COTREE_FILE=run.cotree ./prog
}

# prepare KIND: in this directory; sets `file`, `range` and `command`.
prepare() {
    command=(report --format=json prog run.cotree)
    case $1 in
    data) make_run; file=run.cotree; range="0 $(size_of run.cotree)" ;;
    paths) make_run -fcotree=paths; file=run.cotree; range="0 $(size_of run.cotree)" ;;
    pool)
        make_run
        rm run.cotree
        for i in 1 2 3 4; do COTREE_FILE=%m ./prog; done
        mv prog.*.pool.cotree run.cotree
        file=run.cotree; range="0 $(size_of run.cotree)" ;;
    unsealed) make_run -DUNSEALED; file=run.cotree; range="0 $(size_of run.cotree)" ;;
    events) make_run -fcotree=trace; file=run.cotree-events; range="0 $(size_of run.cotree-events)" ;;
    traced) make_run -fcotree=trace; file=run.cotree; range="0 $(size_of run.cotree)" ;;
    chunks) make_run -fcotree=trace; "$cotree" trace --pack run.cotree; [ ! -e run.cotree-events ]
        file=run.cotree; range="0 $(size_of run.cotree)" ;;
    merged) make_run; "$cotree" merge -q prog run.cotree -o merged.cotree
        command=(report --format=json merged.cotree)
        file=merged.cotree; range="0 $(size_of merged.cotree)" ;;
    map | places | positions) make_run; file=prog; range=$(section prog ".cotree.$1") ;;
    *) echo "flips: no kind of file: $1" >&2; exit 2 ;;
    esac
}

status=0
for kind in ${FLIPS:-data paths pool unsealed traced events chunks merged map places positions}; do
    parts=()
    for ((w = 0; w < workers; w++)); do
        mkdir "$kind.$w"
        (
            cd "$kind.$w"
            prepare "$kind"
            part=$((runs / workers + (w < runs % workers)))
            # shellcheck disable=SC2086
            "$flips" $part $((seed * 1000 + w)) "$file" $range "${command[@]}" >../"$kind.$w.out" 2>&1
        ) &
        parts+=($!)
    done
    worst=0
    for part in "${parts[@]}"; do s=0; wait "$part" || s=$?; [ $s -le $worst ] || worst=$s; done
    grep -hv '^same' "$kind".*.out || :
    awk -v kind="$kind" '/^same/ { for (i = 1; i < NF; i += 2) sum[$i] += $(i + 1) }
        END { printf "%-10s same %d, refused %d, declared %d, wrong %d, broken %d\n", kind, sum["same"],
            sum["refused"], sum["declared"], sum["wrong"], sum["broken"] }' "$kind".*.out
    case $kind,$worst in
    *,0) ;;
    unsealed,1) ! grep -hq '^broken' "$kind".*.out || status=1 ;;
    *) status=1 ;;
    esac
    rm -rf "$kind".*
done
exit $status
