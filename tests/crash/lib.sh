# What the tests of crash histories share.
cotree=$COTREE_BUILD/cotree
here=$COTREE_TOP/tests/crash
. "$COTREE_TOP/tests/lib/build_once.sh"
fail() { echo "$*"; exit 1; }

# Makes what judges need, once a test.
prepare_judge() {
    build_once point.o clang-19 -O1 -c "$here/point.c"
    build_once truth_point.o clang-19 -O1 -fno-omit-frame-pointer -DTRUTH -c "$here/point.c"
    build_once judge clang-19 -O1 "$here/judge.c"
}

# graphs_of PROG: all flow graphs, as the judge reads them.
graphs_of() {
    "$cotree" graph --no-demangle --function='*' "$1" | awk '
        !NF { between = 1; next }
        (FNR == 1 || between) && !/^entry$/ { name = $1; from = ""; between = 0; next }
        { between = 0 }
        name != "" { print "G", name, $1; name = ""; next }
        /^block / { from = $2 }
        /^    -> [0-9]/ && from != "" { print "E", from, $2 }'
}

# common_graphs A B: the graphs that are the same in both; clang makes a few C++ functions differently
# for the optimiser, and these cannot be judged. Nor can those of which there are several of one name.
common_graphs() {
    awk '
        /^G/ { name = $2; if (++times[FNR == NR, name] > 1) several[name] }
        { text[FNR == NR, name] = text[FNR == NR, name] $0 "\n"; seen[name] }
        END {
            for (name in seen)
                if (!(name in several) && text[1, name] == text[0, name]) printf "%s", text[1, name]
        }' "$1" "$2"
}

# value_of FORMAT EXPRESSION CORE...: what gdb finds in each core, into the file CORE.value; it is told
# of a program by `program`, if the expression names something of it.
program=
value_of() {
    local format=$1 expression=$2 core words=()
    shift 2
    for core; do
        words+=(-ex "core-file $core" -ex "printf \"value $core %$format\\n\", $expression")
    done
    # shellcheck disable=SC2086
    gdb -batch -nx "${words[@]}" $program 2>/dev/null | awk '$1 == "value" { print $3 >($2 ".value") }'
}

# truth_of PROGRAM POINTS: names instead of addresses, one file a point: POINTS/NUMBER.truth
truth_of() {
    readelf -sW "$1" | awk '$4 == "FUNC" && $7 != "UND" { sub(/\.cotree.*$/, "", $8); print $2, $8 }' |
        sort -u >symbols
    awk -v points="$2" '
        function value(hex,   i, v) {
            for (i = 1; i <= length(hex); i++) v = v * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
            return v
        }
        FNR == NR { address[++n] = value($1); name[n] = $2; next }
        $1 == "P" { file = points "/" $2 ".truth"; next }
        $1 == "A" { print >file; next }
        {
            at = value($2); low = 1; high = n
            while (low < high) {
                middle = int((low + high + 1) / 2)
                if (address[middle] <= at) low = middle; else high = middle - 1
            }
            $2 = name[low]; print >file
        }' symbols "$2/truth"
}

# without_debug_files COMMAND...: runs it where /usr/lib/debug is empty, if that can be had. libdw would
# inflate the debug information of the C library there for each core, and nothing here asks for it.
without_debug_files() {
    mkdir -p empty
    if unshare -m mount --bind empty /usr/lib/debug 2>/dev/null; then
        unshare -m sh -c 'mount --bind empty /usr/lib/debug && exec "$@"' sh "$@"
    else
        "$@"
    fi
}

# tell PROG CORE...: what cotree crash says of each core, as the judge reads it, into CORE.told.
tell() {
    local prog=$1 core
    shift
    # shellcheck disable=SC2016
    without_debug_files bash -c 'for core in "${@:3}"; do
        "$1" crash --format=json "$2" "$core" >"$core.json" || exit
    done' bash "$cotree" "$prog" "$@" || return
    for core; do : >"$core.told"; done
    for core; do echo "$core.json"; done | xargs jq -r '"T \(input_filename)",
        (.threads[0].frames[] | select(.key) |
        "F \(.linkage_name) \(.block) \(.why // "-")",
        "C \(.active.certain_blocks | join(" "))", "N \(.active.ruled_out_blocks | join(" "))",
        (.history[] | "E \(.earlier_rounds // "-")",
            (if .kind == "round" then "H" else "R" end) + " \(.candidates // 0) " + ([.blocks[] |
            "\(.block)" + (if .loop then "l" else "" end) + (if .around then "a" else "" end) +
                (if .gap then "g" else "" end)] |
                join(" "))))' >told || return
    awk '$1 == "T" { close(file); file = $2; sub(/json$/, "told", file); next } { print >file }' told
}

# judge_interrupted SOURCE OPTION...: the same for frames that signals interrupt.
judge_interrupted() {
    local source=$1 name n ticks= tick
    shift
    name=$(basename "$source")
    rm -rf points true && mkdir points true
    [ -e "truth.$name" ] || {
        build_once "truth.$name" "$cotree" cc -w -O0 -no-pie -fcotree=trace -fcotree-trace=report "$source" \
            truth_point.o
        graphs_of "truth.$name" >"graphs.$name"
    }
    "$cotree" cc -w -no-pie -fcotree=crash "$@" "$source" point.o -o prog
    POINTS=$PWD/points ./prog >points/out || fail "$name $*: $?"
    program=./prog value_of ld '*(long *)&tick' points/*/core
    ticks=$(cat points/*/core.value) || fail "$name $*: how far it was is not known"
    POINTS=$PWD/true TICKS=${ticks//$'\n'/ } COTREE=off "./truth.$name" >true/out || fail "$name: truth: $?"
    cmp -s true/out points/out || fail "$name $*: the two builds do not print the same"
    truth_of "truth.$name" true
    graphs_of prog >graphs.prog
    common_graphs "graphs.$name" graphs.prog >graphs
    tell ./prog points/*/core || fail "$name $*: cotree crash"
    for n in points/*/core; do
        # in front of main, or in a library at its end
        [ -s "$n.told" ] || { elsewhere=$((elsewhere + 1)); continue; }
        tick=$(cat "$n.value")
        awk -v tick="$tick" '/^A/ { on = $2 == tick } on' true/1.truth >lists
        ./judge graphs lists "$n.told" "$tick" >judged || fail "$name $*, $n at $tick: $(tail -60 judged)"
        # shellcheck disable=SC2046
        set -- "$@" && add_up $(tail -1 judged)
    done
}

# judge_program SOURCE STEP OPTION...: compares cores of the program with what it really did; adds up
# compared, unique and unknown.
compared=0 unique=0 unknown=0 elsewhere=0 certain=0 ruled_out=0 rounds=0
judge_program() {
    local source=$1 step=$2 driver=cc name n address cores=()
    shift 2
    name=$(basename "$source")
    case $name in *.cpp) driver=c++ ;; esac
    rm -rf points true && mkdir points true
    if [ ! -e "truth.$name" ]; then
        build_once "truth.$name" "$cotree" $driver -w -O0 -no-pie -fcotree=trace -fcotree-trace=report \
            -Dalways_inline=noinline "$source" ${more_sources-} truth_point.o -lm
        graphs_of "truth.$name" >"graphs.$name"
    fi
    "$cotree" $driver -w -fcotree="${SETS-crash}" "$@" "$source" ${more_sources-} point.o -lm -o prog
    # shellcheck disable=SC2086
    [ -z "${TUNED-}" ] || "$cotree" tune ./prog $TUNED -o prog || fail "$name $*: cotree tune: $?"
    POINTS=$PWD/true POINT_STEP=$step COTREE=off "./truth.$name" >true/out || fail "$name: truth: $?"
    COTREE_FILE=$PWD/points/prog.%p.cotree POINTS=$PWD/points POINT_STEP=$step ./prog >points/out ||
        fail "$name $*: $?"
    cmp -s true/out points/out || fail "$name $*: the two builds do not print the same"
    truth_of "truth.$name" true
    graphs_of prog >graphs.prog
    common_graphs "graphs.$name" graphs.prog >graphs
    for n in $(ls points | grep '^[0-9]*$'); do
        if [ -e "points/$n/core" ]; then
            cores+=("points/$n/core")
        elif [ -z "${POINT_FAULTS-}" ]; then
            fail "$name $*: no core: is the core pattern 'core'?"
        fi
    done
    [ ${#cores[@]} -gt 0 ] || return 0
    tell ./prog "${cores[@]}" || fail "$name $*: cotree crash"
    [ -z "${POINT_FAULTS-}" ] || value_of lx '$_siginfo._sifields._sigfault.si_addr' "${cores[@]}"
    for n in "${cores[@]%/core}"; do
        address=
        if [ -n "${POINT_FAULTS-}" ]; then
            address=$(cat "$n/core.value") || fail "$name $*: no address of the fault"
            # An access that only one of the builds makes: of a pair, or of a whole word.
            grep -qx "A $address" "true/${n#points/}.truth" || { elsewhere=$((elsewhere + 1)); continue; }
        fi
        ./judge graphs "true/${n#points/}.truth" "$n/core.told" $address >judged ||
            fail "$name $*, $n: $(cat judged)"
        # shellcheck disable=SC2046
        add_up $(tail -1 judged)
    done
}
add_up() {
    compared=$((compared + $2)) unique=$((unique + $4)) unknown=$((unknown + $8))
    certain=$((certain + ${16})) ruled_out=$((ruled_out + ${19})) rounds=$((rounds + ${21}))
}
