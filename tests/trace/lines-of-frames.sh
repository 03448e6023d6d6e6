# Lines of programs that leave frames behind (tests/frames/programs), by their trace: those that
# edges have, and those that the comments in the sources say. lines_of_frames GROUP... judges all
# programs of the groups, at -O2 and every other one at -O0, or all at the levels in TRACE_LEVELS
# ("-O0 -O1 -O2 -O3 -Os"). A profile that is not exact fails, unless the program's name begins with
# inexact-, or lines-not-yet.txt lists it; functions named any_ may be declared. What is declared
# must cover what is wrong.
. "$COTREE_TOP/tests/frames/programs.sh"
frames=$COTREE_TOP/tests/frames
trace=$COTREE_TOP/tests/trace
export COTREE_FOLLOWER=off

# build NAME DIR FLAG...: DIR/program
build() {
    local name=$1 dir=$2 part source objects=() libraries=() compiler="$cotree cc"
    shift 2
    mkdir -p "$dir"
    for part in "$name" "$name.2"; do
        source=$(program_source "$part")
        if [ -z "$source" ]; then continue; fi
        # shellcheck disable=SC2046
        $(cotree_for "$source") $(counted_flags_for "$source") "$@" -c "$source" -o "$dir/$part.o" || return 1
        objects+=("$dir/$part.o")
    done
    source=$(program_source "$name.so")
    if [ -n "$source" ]; then
        # shellcheck disable=SC2046
        $(cotree_for "$source") $(counted_flags_for "$source") "$@" -fPIC -shared "$source" \
            -o "$dir/libpart.so" ||
            return 1
        libraries+=("$dir/libpart.so" "-Wl,-rpath,$PWD/$dir")
    fi
    source=$(program_source "$name.plain")
    if [ -n "$source" ]; then
        # shellcheck disable=SC2046
        $(clang_for "$source") $(flags_for "$source") -O2 -fPIC -shared "$source" -o "$dir/libplain.so" ||
            return 1
        libraries+=("$dir/libplain.so" "-Wl,-rpath,$PWD/$dir")
    fi
    if is_cxx "$name"; then compiler="$cotree c++"; fi
    $compiler -pthread "${objects[@]}" "${libraries[@]}" -o "$dir/program"
}
# lines NAME LEVEL SETS: its report in NAME/SETS.json
lines() {
    local name=$1 level=$2 sets=$3 dir=$1/$3
    build "$name" "$dir" "$level" "-fcotree=$sets" >"$dir.log" 2>&1 ||
        { echo "does not build: $(head -n 2 "$dir.log")"; return; }
    mkdir -p "$dir/data"
    run_program "$name" "$dir/program" "$dir/output" COTREE_FILE="$PWD/$dir/data/%e.%p.cotree"
    as_expected "$name" "$dir/output" >"$dir.log" || echo "does something else: $(tr '\n' '|' <"$dir.log")"
    "$cotree" report --format=json --no-demangle -o "$dir.json" "$dir/program" "$dir/data" 2>"$dir.said" ||
        echo "$sets: report ends with $?"
    if [ -s "$dir.said" ]; then echo "$sets: $(head -n 1 "$dir.said")"; fi
}
claims_of() { # FILE
    sed -n "s|.*/\* count: \([0-9]*\) \*/.*|\1|; t good; d; :good; =; p" "$1" | paste -d ' ' - - |
        sed "s|^|${1##*/}:|"
}
lines_of_program() { # NAME LEVEL
    local name=$1 level=$2 part inexact=0 declared=
    mkdir "$name"
    for part in "$name" "$name.2" "$name.so"; do
        if [ -n "$(program_source "$part")" ]; then claims_of "$(program_source "$part")"; fi
    done >"$name/claims"
    case $name in inexact-*) inexact=1 ;; esac
    if grep -q "^$name " "$trace/lines-not-yet.txt"; then declared=always; fi
    if grep -q "^$name sometimes " "$trace/lines-not-yet.txt"; then declared=sometimes; fi
    lines "$name" "$level" edges
    lines "$name" "$level" trace
    # Their words, each of which begins with `exact`.
    jq -r --arg own "$frames/" -f "$frames/judge.jq" "$name/edges.json" "$name/trace.json" |
        awk -v edges="$name/edges.words" -v trace="$name/trace.words" '
            BEGIN { printf "" >edges; printf "" >trace }
            $1 == "exact" { to = number++ ? trace : edges }
            { print >to }'
    if [ "${PIPESTATUS[0]}" != 0 ]; then echo "no JSON"; fi
    awk -v inexact=$inexact -v declared=$declared -f "$trace/lines-of-frames.awk" "$name/claims" \
        "$name/edges.words" "$name/trace.words"
    if [ -z "${KEEP-}" ]; then rm -rf "${name:?}"; fi
}
lines_of_frames() { # GROUP...
    local group name level odd=0 cases=0
    build_launcher
    for level in ${TRACE_LEVELS:--O0 -O2}; do
        for group in "$@"; do
            for name in $(program_names "$group"); do
                case " $(said "$name" without) " in *" ${level#-} "*) continue ;; esac
                odd=$((1 - odd))
                if [ -z "${TRACE_LEVELS-}" ] && [ "$level$odd" = -O00 ]; then continue; fi
                cases=$((cases + 1))
                lines_of_program "$name" "$level" >wrong 2>&1
                if [ -s wrong ]; then
                    failed "$name $level: $(wc -l <wrong): $(head -n "${SAME_LINES:-3}" wrong | cut -c 1-200 |
                        tr '\n' ';')"
                fi
                if [ -n "${KEEP-}" ] && [ -d "$name" ]; then mv "$name" "$name$level"; fi
            done
        done
    done
    [ $cases -gt 0 ] || failed "no programs"
    echo "$cases programs"
    finish
}
