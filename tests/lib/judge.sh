# Builds, runs and reports corpus programs with cotree. Source corpus.sh first.
every_set=edges,blocks,every-edge,every-block
graph_differences=$COTREE_TOP/tests/exact/graph-differences.txt

# cotree_build NAME PROGRAM FLAG...: macros.c names files relative to where it is compiled, and is not shared.
cotree_build() {
    local name=$1 program=$2 shared=${COTREE_MADE-}
    shift 2
    case $name in macros) shared= ;; esac
    # shellcheck disable=SC2086,SC2046
    if ! COTREE_MADE=$shared build_once "$program" $(corpus_cotree "$name") $(corpus_flags "$name") "$@" \
        $(corpus_units "$name") $corpus_libraries 2>"$program.log"; then
        failed "$name: cotree cc $* fails: $(head -n 3 "$program.log")"
        return 1
    fi
    if [ -s "$program.log" ]; then
        failed "$name: cotree cc $* says: $(head -n 3 "$program.log")"
    fi
}

# cotree_run PROGRAM: its data goes into PROGRAM.data/, its output and status into PROGRAM.out.
cotree_run() {
    mkdir "$1.data"
    corpus_run "./$1" "$1.out" COTREE_FILE="$PWD/$1.data/%e.%p.cotree"
}

# cotree_json PROGRAM OPTION...: PROGRAM.json. Nothing may be said on stderr and nothing skipped.
cotree_json() {
    local program=$1 status=0
    shift
    "$cotree" report --format=json "$@" -o "$program.json" "./$program" "$program.data" 2>"$program.log" ||
        status=$?
    case $program in cut-*) # what --check-sets finds in a function that is declared inexact is no news
        sed -i "/^cotree report: declared difference: /d" "$program.log" ;;
    esac
    if [ $status -ne 0 ] || [ -s "$program.log" ]; then
        failed "$program: cotree report $* has status $status: $(head -n 3 "$program.log")"
        return 1
    fi
}

# Why a profile says that it is not exact; nothing if it is, but for the coroutine, which is known
# to have no counters. A definition for jq.
why_not_exact='def why($program):
    (.why_not_exact - (if $program |
        startswith("coroutine") then ["squares is not counted"] else [] end)) as $why |
    if .exact == (.why_not_exact == []) and $why == [] then empty else ($why | tostring) end;'

# json_counts PROGRAM: why it is not exact, if it is not, in PROGRAM.why; in PROGRAM.counts what must
# not depend on -O or -g, a line each, of functions and lines that are in the program's own sources:
# at -O1 and above clang also inlines bodies of functions that live in libraries, and what those call
# in headers is then counted more often.
#   entries FUNCTION FILE:LINE COUNT, line FILE:LINE COUNT, block FUNCTION FILE:LINE ID COUNT LINES,
#   edge FUNCTION FILE:LINE ID FROM TO KIND COUNT
json_counts() {
    : >"$1.why"
    jq -r --arg own "$corpus/" --arg program "$1" "$why_not_exact"'
        def base: sub(".*/"; "");
        "why \(why($program))",
        (.functions[] | select(.file // "" | startswith($own)) |
            "\(.linkage_name) \(.file | base):\(.line)" as $f |
            "entries \($f) \(.entries)",
            (.blocks[] | "block \($f) \(.id) \(.count) \([.lines[].line | tostring] | join(","))"),
            (.edges[] | "edge \($f) \(.id) \(.from) \(.to) \(.kind) \(.count)")),
        (.files[] | select(.file | startswith($own)) | (.file | base) as $f | .lines[] |
            "line \($f):\(.line) \(.count)")' "$1.json" |
        awk -v why="$1.why" '$1 == "why" { print substr($0, 5) >why; next } { print }' |
        LC_ALL=C sort >"$1.counts"
}
# The block counts, in the form of the oracle (sancov_counts.awk): of all functions, or of those in
# the program's own sources. A function that is not counted, and says why, is its name alone.
json_blocks() { # PROGRAM [own]
    jq -r --arg own "${2:+$corpus/}" \
        '.functions[] | select(.entries != null or (.why // "") != "") |
            select(.file // "" | startswith($own)) |
        [.linkage_name] + (if .entries == null then [] else [.blocks[].count | tostring] end) | join(" ")' \
        "$1.json" | LC_ALL=C sort >"$1.blocks"
}

# listed NAME [REASON]: the functions of the program that graph-differences.txt lists, for that reason.
listed() {
    awk -v name="$1" -v reason="${2-.}" '!/^#/ && $1 == name && $3 ~ reason { print $2 }' "$graph_differences"
}

# same_counts NAME FIRST PROGRAM: what differs, but for what is listed; what of the list was needed
# is noted in NAME.different.
same_counts() {
    awk -v different="$1.different" -f "$COTREE_TOP/tests/lib/same_counts.awk" "$1.loose" "$2.counts" \
        "$3.counts"
}

# judge_levels NAME: at -O0 and at one other level, or at all of them (COTREE_LEVELS=all), the program
# behaves as the plain build does, all counter sets agree, and the counts are the same. Which other
# one, the name says: each has a fifth of the corpus, -O2 with -g two.
judge_levels() {
    local name=$1 level program first= why levels others what
    others=("-O2 -g" -O1 -O3 -Os "-O2 -g" -O2 "-O0 -g")
    levels=(-O0 "${others[$(printf %s "$name" | cksum | cut -d' ' -f1) % 5]}")
    case $name in many-blocks) levels=(-O0) others=(-O2) ;; esac # clang needs many seconds for it
    if [ "${COTREE_LEVELS-}" = all ]; then levels+=("${others[@]}"); fi
    corpus_plain "$name" plain
    corpus_run ./plain plain.out
    listed "$name" >"$name.loose"
    touch "$name.different"
    for level in "${levels[@]}"; do
        program=$name${level/ /}
        # shellcheck disable=SC2086
        cotree_build "$name" "$program" $level -fcotree=$every_set || continue
        cotree_run "$program"
        same "$name $level: output and exit status" plain.out "$program.out" || :
        cotree_json "$program" --check-sets || continue
        json_counts "$program"
        why=$(<"$program.why")
        case "$name $why" in
        cut-*" "?*) ;; # declared, and the sets differ in what is declared only
        *)
            if [ -n "$why" ]; then failed "$name $level: not exact: ${why:0:600}"; fi
            if [ -z "$first" ]; then first=$program; fi
            same_counts "$name" "$first" "$program" >differences
            if [ -s differences ]; then
                failed "$name: $(wc -l <differences) counts at $level are not those of $first"
                head -n 6 differences
            fi
            ;;
        esac
        rm -rf "${program:?}.data" "$program" "$program.json"
    done
    case $name in
    cut-*) ;;
    *) for what in $(listed "$name" "more|alias"); do
        grep -qxF -- "$what" "$name.different" ||
            failed "$name: graph-differences.txt lists $what, which does not differ"
    done ;;
    esac
    rm -rf "${name:?}"-O* plain plain.out
}
