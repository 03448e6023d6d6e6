#!/usr/bin/env bash
# Edge counts from path counts and the few counters beside them are those of a counter on every edge, whatever ends the program or leaves its frames: every
# program of tests/frames. Frames left in calls are exact; where one was interrupted between calls a difference may be declared, with a bound: interrupted.txt
# lists these programs and functions.
set -u
. "$COTREE_TOP/tests/frames/programs.sh"

# build NAME FLAG...: ./program and its libraries
build() {
    local name=$1 part source libraries=()
    shift
    rm -rf build && mkdir build
    for part in so plain; do
        source=$(program_source "$name.$part")
        if [ -z "$source" ]; then continue; fi
        if [ $part = so ]; then
            $(cotree_for "$source") $(flags_for "$source") "$@" -fPIC -shared "$source" -o build/libso.so || return 1
        else
            $(clang_for "$source") $(flags_for "$source") -O2 -fPIC -shared "$source" -o build/libplain.so || return 1
        fi
        libraries+=("build/lib$part.so" "-Wl,-rpath,$PWD/build")
    done
    for part in "$name" "$name.2"; do
        source=$(program_source "$part")
        if [ -n "$source" ]; then $(cotree_for "$source") $(flags_for "$source") "$@" -c "$source" -o "build/$part.o" || return 1; fi
    done
    if is_cxx "$name"; then "$cotree" c++ -pthread build/*.o "${libraries[@]}" -o build/program; else "$cotree" cc -pthread build/*.o "${libraries[@]}" -o build/program; fi
}

build_launcher
exact=0
: >declared
for name in $(program_names); do
    for flags in "-O0" "-O2 -fcotree-path-ends=loops"; do
        # shellcheck disable=SC2086
        build "$name" $flags -fcotree=paths,every-edge >log 2>&1 || { failed "$name $flags: does not build: $(head -n 2 log)"; continue; }
        rm -rf data && mkdir data
        run_program "$name" build/program output COTREE_FILE="$PWD/data/%e.%p.cotree"
        as_expected "$name" output >difference || failed "$name $flags: does something else: $(tr '\n' '|' <difference)"
        "$cotree" report --check-sets --format=json -o json build/program data 2>said || failed "$name $flags: $(wc -l <said) lines: $(grep -v declared said | head -n 2)"
        if [ "$(jq .exact json)" = true ]; then exact=$((exact + 1)); fi
        # A profile that is not exact without a function that is not would be "nothing".
        jq -r --arg case "$name ${flags// /,}" 'if .exact then empty else [.functions[] | select(.exact == false) | .name] | (if . == [] then ["nothing"] else . end)[] | "\($case) \(.)" end' \
            json >>declared
    done
done
[ $exact -gt 100 ] || failed "only $exact cases are exact"
awk '
    NR == FNR { if (!/^#/ && NF) { n = split($2, names, ","); for (i = 1; i <= n; i++) listed[$1, names[i]] = 1 } next }
    ($1, $3) in listed { found[$1, $3] = 1; next }
    $3 ~ /^any_/ && ($1, "any_*") in listed { next }
    { print $1 " " $2 ": " $3 " is declared not to be exact" }
    END { for (c in listed) if (!(c in found)) { split(c, p, SUBSEP); if (p[2] != "any_*") print p[1] ": " p[2] " is exact: take it from interrupted.txt" } }
' "$COTREE_TOP/tests/paths/interrupted.txt" declared >wrong
while read -r line; do failed "$line"; done <wrong
finish
