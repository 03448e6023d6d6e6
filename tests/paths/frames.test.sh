#!/usr/bin/env bash
# Edge counts from path counts and the few counters beside them are those of a counter on every edge, whatever ends the program or leaves its frames: every
# program of tests/frames. Frames left in calls are exact; where one was interrupted between calls a difference may be declared, with a bound.
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
exact=0 declared=0
for name in $(program_names); do
    for flags in "-O0" "-O2 -fcotree-path-ends=loops"; do
        # shellcheck disable=SC2086
        build "$name" $flags -fcotree=paths,every-edge >log 2>&1 || { failed "$name $flags: does not build: $(head -n 2 log)"; continue; }
        rm -rf data && mkdir data
        run_program "$name" build/program output COTREE_FILE="$PWD/data/%e.%p.cotree"
        as_expected "$name" output >difference || failed "$name $flags: does something else: $(tr '\n' '|' <difference)"
        "$cotree" report --check-sets --format=json -o json build/program data 2>said || failed "$name $flags: $(wc -l <said) lines: $(grep -v declared said | head -n 2)"
        if [ "$(jq .exact json)" = true ]; then exact=$((exact + 1)); continue; fi
        declared=$((declared + 1))
        echo "$name $flags $(said "$name" group)" >>declared
    done
done
[ $exact -gt 100 ] || failed "only $exact cases are exact"
[ -z "${FRAMES_RESULTS-}" ] || cp declared "$FRAMES_RESULTS"
finish
