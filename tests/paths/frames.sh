# Every early end of tests/frames, with paths: frames_group GROUP runs the programs of a group and
# ends the test.
#
# Edge counts from path counts and the few counters beside them are those of a counter on every
# edge, whatever ends the program or leaves its frames. Frames left in calls are exact; where one
# was interrupted between calls a difference may be declared, with a bound: interrupted.txt lists
# these programs and functions.
#
# Paths, those that ended and those that were cut short, are what a trace of the program's blocks
# shows, from another build without cotree (tests/lib/trace_paths.awk), or are declared not to be
# told apart. FRAMES_RESULTS=FILE: a line for each case goes there: executions cut short that are
# listed, not told apart, counted as ended.
. "$COTREE_TOP/tests/frames/programs.sh"
. "$COTREE_TOP/tests/lib/sancov.sh"

# build NAME FLAG...: ./program and its libraries
build() {
    local name=$1 part source libraries=()
    shift
    rm -rf build && mkdir build
    for part in so plain; do
        source=$(program_source "$name.$part")
        if [ -z "$source" ]; then continue; fi
        if [ $part = so ]; then
            $(cotree_for "$source") $(counted_flags_for "$source") "$@" -fPIC -shared "$source" \
                -o build/libso.so || return 1
        else
            $(clang_for "$source") $(flags_for "$source") -O2 -fPIC -shared "$source" -o build/libplain.so ||
                return 1
        fi
        libraries+=("build/lib$part.so" "-Wl,-rpath,$PWD/build")
    done
    for part in "$name" "$name.2"; do
        source=$(program_source "$part")
        if [ -n "$source" ]; then
            $(cotree_for "$source") $(counted_flags_for "$source") "$@" -c "$source" -o "build/$part.o" ||
                return 1
        fi
    done
    if is_cxx "$name"; then
        "$cotree" c++ -pthread build/*.o "${libraries[@]}" -o build/program
    else
        "$cotree" cc -pthread build/*.o "${libraries[@]}" -o build/program
    fi
}

# Programs that are not traced: they wait in loops, as often as it takes; a handler jumps away in
# the middle of an event; children of vfork run on their parent's stack; stacks of one's own; and
# traces that are too long.
untraced=" threads-race alarm-longjmp inexact-loop-cancel inexact-loop-exit vfork-_exit vfork-exec posix-spawn inexact-swapcontext inexact-kill-9 stack-overflow stack-overflow-caught "

# Cases in which counts do not tell all ways apart: executions that are left over.
undetermined='exit-uncounted -O0 2
exit-uncounted -O2,-fcotree-path-ends=loops 2
switch-cut -O0 5
switch-cut -O2,-fcotree-path-ends=mixed 3
fork-exits -O0 8'

# Cases in which a path's last call became a jump, so that it ended there, though the process ended
# inside: executions.
jumped='exit-tail-call -O2,-fcotree-path-ends=loops 1'

# of_group LIST GROUP: the lines of LIST whose programs are of the group
of_group() {
    while read -r name flags; do if [ "$(said "$name" group)" = "$2" ]; then echo "$name $flags"; fi; done \
        <<<"$1"
}

# trace NAME: traced/ with the trace of the program.
trace() {
    local name=$1 part source base objects=() lists=() plain=
    rm -rf traced && mkdir traced
    [ -e trace_runtime.o ] || build_once trace_runtime.o clang-19 -O1 -fno-omit-frame-pointer -w \
        -c "$COTREE_TOP/tests/lib/trace_runtime.c"
    for part in "$name" "$name.2" "$name.so"; do
        source=$(program_source "$part")
        if [ -z "$source" ]; then continue; fi
        base=traced/${part//./_}
        # shellcheck disable=SC2046
        build_once "$base.ll" $(clang_for "$source") $(flags_for "$source") -O0 -Xclang -disable-llvm-passes \
            -fno-discard-value-names -S -emit-llvm "$source" || return 1
        prepare_ir "$base"
        awk -f "$COTREE_TOP/tests/lib/trace_marks.awk" "$base.ll" >"$base.marked.ll"
        guard_ir "$base.marked.ll" "$base.bc" && clang-19 -w -O0 -c "$base.bc" -o "$base.o" || return 1
        objects+=("$base.o") lists+=("$base.blocks")
    done
    if [ -n "$(program_source "$name.plain")" ]; then plain=$(program_source "$name.plain"); fi
    # shellcheck disable=SC2086
    $(clang_for "$(program_source "$name")") -w -no-pie -pthread "${objects[@]}" trace_runtime.o $plain -lm \
        $(cxx_library "$name") -o traced/program || return 1
    run_program "$name" traced/program traced/output ORACLE_TRACE="$PWD/traced/trace"
    as_expected "$name" traced/output || return 1
    symbols_of traced/program >traced/program.nm
    cat "${lists[@]}" >traced/all.blocks
    od -An -v -td8 -N8 traced/trace >traced/count
    [ $(($(<traced/count))) -le 4194304 ] || { echo "too many events"; return 1; }
    tail -c +9 traced/trace | head -c $((32 * $(<traced/count))) | od -An -v -td8 -w32 >traced/all.events
    rm traced/trace
}

# profile_words: of ./json, what judge_paths reads; and in ./standing `exact`, or a line "CASE
# FUNCTION" for each function that is not. A profile that is not exact without such a function would
# be "nothing".
profile_words() {
    mkdir -p traced
    jq -r --arg case "$name ${flags// /,}" '(if .exact then "standing exact"
        else [.functions[] | select(.exact == false) | .name] |
            (if . == [] then ["nothing"] else . end)[] | "standing \($case) \(.)" end),
        ('"$(<"$COTREE_TOP/tests/lib/trace_paths.jq")"'
        )' json |
        awk 'BEGIN { printf "" >"standing" }
            $1 == "standing" { sub(/^standing /, ""); print >"standing"; next }
            { print }' >traced/profile.words
}
# judge_paths FLAG...: of ./json, against the trace, into ./verdict
judge_paths() {
    awk -v skip='^(any_|_Z[0-9]+any_)' "$@" -f "$COTREE_TOP/tests/lib/trace_paths.awk" traced/program.nm \
        traced/all.blocks traced/trace.pcs traced/all.events traced/profile.words >verdict
    grep -q "^sum " verdict || failed "$name $flags: not judged"
    sed -n "s|^sum |$name ${flags// /,} |p" verdict >>sums
    while read -r line; do failed "$name $flags: $line"; done < <(grep -v '^sum ' verdict | head -n 5)
}

# report_paths: builds $name with $flags, runs it, and leaves its ./json and words.
report_paths() {
    # shellcheck disable=SC2086
    build "$name" $flags -fcotree=paths,every-edge >log 2>&1 ||
        { failed "$name $flags: does not build: $(head -n 2 log)"; return 1; }
    rm -rf data && mkdir data
    run_program "$name" build/program output COTREE_FILE="$PWD/data/%e.%p.cotree"
    as_expected "$name" output >difference ||
        failed "$name $flags: does something else: $(tr '\n' '|' <difference)"
    "$cotree" report --check-sets --format=json -o json build/program data 2>said ||
        failed "$name $flags: $(wc -l <said) lines: $(grep -v declared said | head -n 2)"
    profile_words
}

# frames_chosen NAME...: programs that watch only some of their paths. What they say of those that
# were cut short is true; it may be less.
frames_chosen() {
    local name flags
    build_launcher
    : >sums
    for name; do
        trace "$name" >log 2>&1 || { failed "$name: no trace: $(head -n 3 log)"; continue; }
        for flags in "-O2 -fcotree-paths=group:1/2" "-O1 -fcotree-paths=group:3/3"; do
            report_paths || continue
            judge_paths -v some=1
        done
    done
    awk '{ listed += $4 } END { exit !NR || listed < NR }' sums ||
        failed "hardly any path that was cut short is listed"
    if [ -n "${FRAMES_RESULTS-}" ]; then sed 's/$/ chosen/' sums >>"$FRAMES_RESULTS"; fi
    finish
}

frames_group() {
    local name flags traced ends exact=0
    build_launcher
    : >declared
    : >sums
    for name in $(program_names "$1"); do
        traced=0
        case $untraced in *" $name "*) ;; *)
            if trace "$name" >log 2>&1; then traced=1; else failed "$name: no trace: $(head -n 3 log)"; fi
            ;;
        esac
        case $name in [a-m]*) ends=loops ;; *) ends=mixed ;; esac
        for flags in "-O0" "-O2 -fcotree-path-ends=$ends"; do
            report_paths || continue
            if [ "$(<standing)" = exact ]; then exact=$((exact + 1)); else cat standing >>declared; fi
            if [ $traced = 0 ]; then continue; fi
            judge_paths
        done
    done
    [ $exact -gt 0 ] || failed "no case is exact"
    awk -v group=" $(program_names "$1" | tr '\n' ' ')" '
        NR == FNR { if (!/^#/ && NF && index(group, " " $1 " "))
            { n = split($2, names, ","); for (i = 1; i <= n; i++) listed[$1, names[i]] = 1 } next }
        ($1, $3) in listed { found[$1, $3] = 1; next }
        $3 ~ /^any_/ && ($1, "any_*") in listed { next }
        { print $1 " " $2 ": " $3 " is declared not to be exact" }
        END { for (c in listed) if (!(c in found))
            { split(c, p, SUBSEP); if (p[2] != "any_*")
            print p[1] ": " p[2] " is exact: take it from interrupted.txt" } }
    ' "$COTREE_TOP/tests/paths/interrupted.txt" declared >wrong
    while read -r line; do failed "$line"; done <wrong
    awk '{ listed += $4 } END { exit !listed }' sums || failed "no path that was cut short is listed"
    while read -r line; do failed "not told apart: $line"; done < \
        <(diff <(awk '$5 { print $1, $2, $5 }' sums) \
        <(of_group "$undetermined" "$1") | grep '^[<>]')
    while read -r line; do failed "cut short, and said to have ended: $line"; done < \
        <(diff <(awk '$6 { print $1, $2, $6 }' sums) <(of_group "$jumped" "$1") | grep '^[<>]')
    if [ -n "${FRAMES_RESULTS-}" ]; then cat sums >>"$FRAMES_RESULTS"; fi
    finish
}
