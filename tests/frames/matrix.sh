# The matrix: every program of a group (programs.sh) in O0, O2, alone, and another variant that its
# name says; in all of them with COTREE_LEVELS=all. matrix_group GROUP runs it and ends the test.
#
# O0, O2, O3  the optimal counters and one on every edge, in one binary
# thread      O2, and another thread is alive from start to end (helper-thread.c)
# library     O2, the program is in a shared library, main is not
# stripped    O2, the program is stripped; its unstripped copy is found by build id
# static      O2, linked statically
# alone       the optimal counters alone, as users have them, with one set of flags or another (alone_flags)
#
# A case (program, variant) is right when the program does what it does without cotree; all counter
# sets agree, edge for edge; the profile says `exact` (or does not, if the program's name begins
# with inexact-); and counts are the true ones: those in the comments of the source; those of
# SanitizerCoverage, block by block (at -O0); those at -O0, block by block and line by line.
# not-yet.txt lists cases that are not right yet; one that is right must go from there.
# FRAMES_RESULTS=FILE: a line for each case goes there, too.
. "$COTREE_TOP/tests/frames/programs.sh"
. "$COTREE_TOP/tests/lib/sancov.sh"
frames=$COTREE_TOP/tests/frames
variants_of() { # NAME
    local others=(O3 thread library stripped static) sum
    sum=$(cksum <<<"$1")
    if [ "${COTREE_LEVELS-}" = all ]; then
        echo O0 O2 "${others[@]}" alone
    else
        echo O0 O2 "${others[${sum%% *} % 5]}" alone
    fi
}
both=-fcotree=edges,every-edge

# What tests/lib/sancov.sh asks for.
corpus_units() {
    local part
    for part in "$1" "$1.2" "$1.so"; do program_source "$part"; done
}
corpus_clang() { clang_for "$(program_source "$1")"; }
corpus_flags() { flags_for "$2"; }
corpus_run() { run_program "${name:?}" "$1" "$2" "$3"; }

# compile NAME DIR FLAG...: DIR/main.o (and 2.o); the program itself. parts NAME DIR: its libraries,
# whose words for the link are in $libraries.
compile() {
    local source
    source=$(program_source "$1")
    # shellcheck disable=SC2046
    $(cotree_for "$source") $(counted_flags_for "$source") "${@:3}" -c "$source" -o "$2/main.o" || return 1
    source=$(program_source "$1.2")
    if [ -n "$source" ]; then
        $(cotree_for "$source") $(counted_flags_for "$source") "${@:3}" -c "$source" -o "$2/2.o"
    fi
}
parts() {
    local source
    libraries=()
    source=$(program_source "$1.so")
    if [ -n "$source" ]; then
        $(cotree_for "$source") $(counted_flags_for "$source") -O2 $both -fPIC -shared "$source" \
            -o "$2/libpart.so" || return 1
        libraries+=("$2/libpart.so")
    fi
    source=$(program_source "$1.plain")
    if [ -n "$source" ]; then
        $(clang_for "$source") $(flags_for "$source") -O2 -fPIC -shared "$source" -o "$2/libplain.so" ||
            return 1
        libraries+=("$2/libplain.so")
    fi
    if [ ${#libraries[@]} -gt 0 ]; then libraries+=("-Wl,-rpath,$2"); fi
}
# link NAME OUTPUT ARGUMENT...
link() {
    if is_cxx "$1"; then
        $cotree c++ -pthread "${@:3}" "${libraries[@]}" -o "$2"
    else
        $cotree cc -pthread "${@:3}" "${libraries[@]}" -o "$2"
    fi
}

# build NAME VARIANT DIR: DIR/program. -O2 objects are made once, in NAME/O2.
build() {
    local name=$1 variant=$2 dir=$3 more
    case $variant in
    O0 | O2 | O3) compile "$name" "$dir" -$variant $both && link "$name" "$dir/program" "$dir"/*.o ;;
    thread) link "$name" "$dir/program" "$name"/O2/*.o helper-thread.o ;;
    library)
        compile "$name" "$dir" -O2 $both -fPIC -include "$frames/program-main.h" -Dmain=program_main &&
            link "$name" "$dir/libprogram.so" -shared "$dir"/*.o &&
            link "$name" "$dir/program" thin-main.o "$dir/libprogram.so" "-Wl,-rpath,$PWD/$dir"
        ;;
    stripped) cp "$name/O2/program" "$dir/program" && strip -s "$dir/program" ;;
    static) link "$name" "$dir/program" -static "$name"/O2/*.o ;;
    alone)
        read -r -a more <<<"$(alone_flags "$name")"
        compile "$name" "$dir" "${more[@]}" && link "$name" "$dir/program" "${more[@]}" "$dir"/*.o
        ;;
    esac
}
# alone_flags NAME: always the same for a program, another for most others.
alone_flags() {
    local all=("-O2" "-O1" "-Os" "-O3 -fno-omit-frame-pointer" "-O2 -g" "-O2 -fcf-protection=full" \
        "-O2 -fuse-ld=lld" "-O2 -fPIC" "-Oz -g") sum
    sum=$(cksum <<<"$1")
    echo "${all[${sum%% *} % ${#all[@]}]}"
}
# applies NAME VARIANT
applies() {
    case " $(said "$1" without) " in *" $2 "*) return 1 ;; esac
    case $2 in static) [ -z "$(program_source "$1.so")$(program_source "$1.plain")" ] ;; esac
}

# report_case NAME VARIANT DIR: builds, runs and reports it. What is wrong, in lines.
report_case() {
    local name=$1 variant=$2 dir=$3 status=0 check=--check-sets debug=
    build "$name" "$variant" "$dir" >"$dir/log" 2>&1 ||
        { echo "does not build: $(head -n 2 "$dir/log")"; return; }
    if [ -s "$dir/log" ]; then echo "building says: $(head -n 2 "$dir/log")"; fi
    mkdir "$dir/data"
    run_program "$name" "$dir/program" "$dir/output" COTREE_FILE="$PWD/$dir/data/%e.%p.cotree"
    as_expected "$name" "$dir/output" >"$dir/difference" ||
        echo "does something else: $(tr '\n' '|' <"$dir/difference")"
    if [ "$variant" = alone ]; then check=; fi
    if [ -e "$name/O2/program" ]; then debug=--debug-path=$name/O2/program; fi # for those that are stripped
    # shellcheck disable=SC2086
    "$cotree" report $check --format=json --no-demangle $debug -o "$dir/json" \
        "$dir/program" "$dir/data" 2>"$dir/said" || status=$?
    if is_inexact "$name" || is_sometimes "$name"; then
        sed -i '/^cotree report: declared difference: /d' "$dir/said"
    fi
    if [ $status -ne 0 ] || [ -s "$dir/said" ]; then
        echo "report ends with $status: $(wc -l <"$dir/said") lines: $(head -n 1 "$dir/said")"
    fi
}
is_inexact() { case $1 in inexact-*) return 0 ;; esac; return 1; }
is_sometimes() { grep -q "^$1 sometimes " "$frames/not-yet.txt"; }

# words_of JSON...: the words (judge.jq) of each in FILE.words. One jq reads them all; `exact` is the
# first word of each.
words_of() {
    [ $# -gt 0 ] || return
    jq -r --arg own "$frames/" -f "$frames/judge.jq" "$@" |
        awk -v files="$*" 'BEGIN { split(files, file, " ") } $1 == "exact" { to = file[++n] ".words" }
            { print >to }'
    [ "${PIPESTATUS[0]}" = 0 ]
}

# judge_case NAME VARIANT DIR: what is wrong with its words, in lines; nothing if they are right.
judge_case() {
    local name=$1 variant=$2 dir=$3 mode=edges,every-edge inexact=0 cxx=0 absent=0 sometimes=0 more= with \
        bound
    if [ ! -s "$dir/json" ]; then return; fi
    if [ ! -s "$dir/json.words" ]; then echo "no JSON"; return; fi
    if is_cxx "$name"; then cxx=1; fi
    case $cxx$variant in 1library) absent=1 ;; esac
    if is_inexact "$name"; then inexact=1; fi
    if is_sometimes "$name"; then sometimes=1; fi
    if [ "$variant" = alone ] && [ -z "$(program_source "$name.so")" ]; then mode=edges; fi
    bound=$(said "$name" bound)
    if [ "$variant" = thread ]; then
        more=helper.claims
        if [ -n "$bound" ]; then bound=$((2 * bound)); fi # each of the two may have been anywhere
    elif [ "$variant" = library ]; then
        bound= # what a library exports may be active any number of times
    fi
    if [ "$variant" = O0 ]; then
        with=$name/x.oracle
        cp "$dir/json.words" "$name/x.reference"
    else
        with=$name/x.reference
    fi
    awk -v inexact=$inexact -v bound="$bound" -v mode=$mode -v cxx=$cxx -v absent=$absent \
        -v sometimes=$sometimes \
        -f "$frames/judge.awk" "$name/x.claims" $more "$with" "$dir/json.words"
}
claims_of() { # FILE
    sed -n "s|.*/\* count: \([0-9]*\) \*/.*|\1|; t good; d; :good; =; p" "$1" | paste -d ' ' - - |
        sed "s|^|${1##*/}:|"
}

# matrix_program NAME: appends "NAME VARIANT ok" or "NAME VARIANT wrong WHAT" to `results`.
matrix_program() {
    local name=$1 variant variants=() reports=() part flags
    mkdir "$name"
    for part in "$name" "$name.2" "$name.so"; do
        if [ -n "$(program_source "$part")" ]; then claims_of "$(program_source "$part")"; fi
    done >"$name/x.claims"
    corpus_libraries="$(program_source "$name.plain") -lm $(cxx_library "$name")"
    sancov_counts "$name" >"$name/oracle.log" 2>&1 ||
        { echo "$name: no oracle: $(head -n 3 "$name/oracle.log")" >>broken; }
    as_expected "$name" "$name.oracle.out" >"$name/difference" ||
        echo "$name: plain clang: $(cat "$name/difference")" >>broken
    mv "$name.oracle" "$name/x.oracle"
    touch "$name/x.reference"
    parts "$name" "$PWD/$name" >"$name/parts.log" 2>&1 ||
        echo "$name: no libraries: $(head -n 3 "$name/parts.log")" >>broken
    for variant in $(variants_of "$name"); do
        applies "$name" "$variant" || continue
        variants+=("$variant")
        mkdir "$name/$variant"
        report_case "$name" "$variant" "$name/$variant" >"$name/$variant/wrong" 2>&1
        if [ -s "$name/$variant/json" ]; then reports+=("$name/$variant/json"); fi
    done
    words_of "${reports[@]}" || echo "$name: not all reports are JSON" >>broken
    for variant in "${variants[@]}"; do
        judge_case "$name" "$variant" "$name/$variant" >>"$name/$variant/wrong" 2>&1
        if [ -s "$name/$variant/wrong" ]; then
            case $variant in alone) flags=" ($(alone_flags "$name"))" ;; *) flags= ;; esac
            echo "$name $variant wrong$flags $(wc -l <"$name/$variant/wrong"): $(head -n "${SAME_LINES:-3}" \
                "$name/$variant/wrong" | cut -c 1-160 | tr '\n' ';')"
        else
            echo "$name $variant ok"
        fi >>results
    done
    if [ -z "${KEEP-}" ]; then rm -rf "${name:?}"; fi
}

matrix_group() {
    local name
    build_launcher
    $cotree cc -w -O2 $both -c "$frames/helper-thread.c" -o helper-thread.o
    $cotree cc -w -O2 $both -c "$frames/thin-main.c" -o thin-main.o
    claims_of "$frames/helper-thread.c" >helper.claims
    touch results broken
    for name in $(program_names "$1"); do matrix_program "$name"; done
    if [ -n "${FRAMES_RESULTS-}" ]; then cat results >>"$FRAMES_RESULTS"; fi
    # Cases that are listed must be wrong, all others right.
    awk -v all="${COTREE_LEVELS-}" -v group=" $(program_names "$1" | tr '\n' ' ')" '
        FILENAME ~ /not-yet/ { if (!/^#/ && NF)
            { n = split($2, v, ","); for (i = 1; i <= n; i++) if (v[i] != "sometimes") listed[$1, v[i]] = 1 }
            next }
        { ran[$1, $2] = 1; right = $3 == "ok"; cases++ }
        right && ($1, $2) in listed { print $1 " " $2 " is right now: take it from not-yet.txt" }
        !right && !(($1, $2) in listed) { print }
        END {
            for (c in listed)
                { split(c, p, SUBSEP); if (all && index(group, " " p[1] " ") && !(c in ran))
                print p[1] " " p[2] " is listed in not-yet.txt, but did not run" }
            if (!cases) print "no cases"
        }' "$frames/not-yet.txt" results >verdict
    if [ -s verdict ]; then failed "$(cat verdict)"; fi
    if [ -s broken ]; then failed "$(cat broken)"; fi
    finish
}
