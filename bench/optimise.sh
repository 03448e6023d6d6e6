#!/usr/bin/env bash
# What an earlier profile is worth to the optimiser: `bench/optimise.sh [NAME...]` (gzip, bzip2,
# lua5.4 and sqlite3 if none is named).
#
#   plain    clang -O2, no profile
#   clang    clang -fprofile-use, by clang's own profile (-fprofile-generate, value profiling included)
#   edges    clang -fprofile-use, by clang's own profile without value profiling (-mllvm
#            -disable-vp=true): what edge counts alone can tell
#   use      cotree cc -fcotree=none -fcotree-use, by cotree's profile
#   samples  clang -fprofile-sample-use, by what cotree report --format=llvm-samples writes
#   counted  cotree cc -fcotree=edges, no profile
#   both     cotree cc -fcotree=edges -fcotree-use: counters, by cotree's profile
#
# Each profile is of the very work that is then measured: instructions under cachegrind, summed over
# its processes. COLUMNS="plain use" chooses columns. Builds are in
# ${COTREE_PROGRAMS:-/tmp/cotree-programs}/optimise; the table goes to stdout.
set -u
. "$(cd "$(dirname "$0")" && pwd)/../tests/programs/lib.sh"
trees=$PROGRAMS_CACHE/optimise
cotree=$COTREE_BUILD/cotree
names=${*:-gzip bzip2 lua5.4 sqlite3}
columns=${COLUMNS:-plain clang edges use samples counted both}

# build NAME DIR CC CXX: in a copy of the tree that plain clang configured.
build() {
    if [ ! -e "$trees/configured/$1.done" ]; then
        program_configure "$1" "$trees/configured/$1" "$CLANG" "clang++-$LLVM" || return 1
        touch "$trees/configured/$1.done"
    fi
    rm -rf "$2"
    cp -a "$trees/configured/$1" "$2" && program_compile "$1" "$2" "$3" "$4"
}
# run NAME DIR PREFIX: the work, in DIR.stage.
run() {
    program_stage "$1" "$2" "$2.stage" &&
        program_work "$1" "$2.stage" "$3" "LLVM_PROFILE_FILE=$2.stage/%p.profraw" \
        "COTREE_FILE=$2.stage/%e.%p.cotree" >"$2.run" 2>&1
}
first_program() { local all; all=$(program_files "$1"); all=${all%% *}; echo "${all##*/}"; }

# profile KIND NAME: builds with counters, runs the work, and leaves the profile in $trees/NAME.KIND
profile() {
    local dir=$trees/$2-$1 to=$trees/$2.$1 flags program
    [ -e "$to" ] && return
    program=$(first_program "$2")
    case $1 in
    profdata | edgedata)
        flags="-fprofile-generate"
        [ "$1" = profdata ] || flags="$flags -mllvm -disable-vp=true"
        build "$2" "$dir" "$CLANG $flags" "clang++-$LLVM $flags" && run "$2" "$dir" "" &&
            "llvm-profdata-$LLVM" merge -o "$to" "$dir".stage/*.profraw
        ;;
    merged)
        build "$2" "$dir" "$cotree cc" "$cotree c++" && run "$2" "$dir" "" &&
            "$cotree" merge -q "$dir.stage/$program" "$dir.stage/$program".*.cotree -o "$to"
        ;;
    samples) profile merged "$2" && "$cotree" report "$trees/$2.merged" --format=llvm-samples -o "$to" ;;
    esac
}

# measure COLUMN NAME: prints the instructions of the work.
measure() {
    local name=$2 dir=$trees/$2-built-$1 base=$trees/$2 cc="$CLANG" cxx="clang++-$LLVM" flags=
    case $1 in
    plain) ;;
    clang)
        profile profdata "$name" &&
            flags="-fprofile-use=$base.profdata -Wno-profile-instr-unprofiled -Wno-profile-instr-out-of-date"
        ;;
    edges)
        profile edgedata "$name" &&
            flags="-fprofile-use=$base.edgedata -Wno-profile-instr-unprofiled -Wno-profile-instr-out-of-date"
        ;;
    samples) profile samples "$name" && flags="-fprofile-sample-use=$base.samples" ;;
    use)
        profile merged "$name" &&
            cc="$cotree cc" cxx="$cotree c++" flags="-fcotree=none -fcotree-use=$base.merged"
        ;;
    counted) cc="$cotree cc" cxx="$cotree c++" ;;
    both) profile merged "$name" && cc="$cotree cc" cxx="$cotree c++" flags="-fcotree-use=$base.merged" ;;
    *) echo "bench/optimise.sh: no column '$1'" >&2; exit 64 ;;
    esac || return 1
    build "$name" "$dir" "$cc${flags:+ $flags}" "$cxx${flags:+ $flags}" ||
        { echo "$name $1: compile failed, see $dir.log" >&2; return 1; }
    run "$name" "$dir" "valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null --log-file=$dir.stage/%p.irefs" ||
        { echo "$name $1: the work failed, see $dir.run" >&2; return 1; }
    cat "$dir".stage/*.irefs | awk '/I +refs:/ { gsub(/,/, "", $NF); s += $NF } END { printf "%.0f\n", s }'
    program_outputs "$dir.stage" >"$dir.sums"
    rm -rf "$dir.stage"
}

mkdir -p "$trees/configured"
# shellcheck disable=SC2086
"$PROGRAMS_TOP/tests/programs/fetch" $names || exit 1
printf '%-10s' program
for column in $columns; do printf ' %15s' "$column"; done
echo
for name in $names; do
    printf '%-10s' "$name"
    for column in $columns; do printf ' %15s' "$(measure "$column" "$name" || echo failed)"; done
    echo
done
