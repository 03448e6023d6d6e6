# judge_sancov NAME...: block counts at -O0 and -O2 are those of SanitizerCoverage, run on the IR
# that clang emits at -O0 before any pass. Programs that drop activations: a counter on every block
# is right even there; solved counts are off by no more than the profile admits, and, where it is
# not exact, are those which follow from counters that are right (solved_agree.awk).
# Functions of graph-differences.txt: at -O2 they are compared with the oracle on the IR of -O2, of
# which cotree leaves out some blocks.
# judge_sancov_group GROUP: the same for a part of the corpus: c, cxx, or cut (programs that drop
# activations), and ends the test.
. "$COTREE_TOP/tests/lib/corpus.sh"
. "$COTREE_TOP/tests/lib/judge.sh"
. "$COTREE_TOP/tests/lib/sancov.sh"

compare() { # NAME PROGRAM LEVEL LIMITS
    local own=
    # what bodies of library functions call in headers when they are inlined is not the source's:
    # its own functions are compared then
    if [ "$3" != -O0 ]; then own=own; fi
    json_blocks "$2" $own
    if [ -n "$own" ]; then
        awk 'FNR == NR { own[$1] = 1; next } $1 in own' "$2.blocks" "$1$3.oracle" >own.oracle
    else
        cp "$1$3.oracle" own.oracle
    fi
    awk -f "$COTREE_TOP/tests/lib/blocks_agree.awk" "$4.limits" "$1.loose" own.oracle "$2.blocks" \
        >"$2.verdict" ||
        { failed "$2: block counts differ from the oracle's"; head -n "${SAME_LINES:-12}" "$2.verdict"; }
}
declared() { # PROGRAM: how far its counts may be off; what is not exact must say why
    jq -r '.functions[] | select(.exact | not) | "\(.linkage_name) \(.max_error // "any")"' "$1.json" \
        >declared.limits
    jq -e 'all(.functions[]; (.exact | not) == ((.why // "") != ""))' "$1.json" >nothing ||
        failed "$1: a function is not exact, and does not say why"
}
solved() { # NAME PROGRAM, after `compare`
    jq -r '.functions[] | select(.entries != null) | .linkage_name as $f |
        (.blocks[] | "block \($f) \(.id) \(.count)"),
        (.edges[] | "edge \($f) \(.from // "-") \(.to // "-") \(.count)")' "$2.json" >"$2.solved"
    "$cotree" graph --no-pager --no-demangle --function='*' "./$2" "$2.data" >"$2.graph"
    awk -f "$COTREE_TOP/tests/lib/solved_agree.awk" known.limits "$1.loose" own.oracle "$2.graph" \
        "$2.solved" >"$2.verdict" ||
        { failed "$2: solved counts do not follow from the oracle's"; head -n "${SAME_LINES:-12}" \
        "$2.verdict"; }
}

judge_sancov() {
    local name level program sets
    for name; do
        sancov_counts "$name" || { failed "$name: no oracle"; continue; }
        listed "$name" >"$name.loose"
        mv "$name.oracle" "$name-O0.oracle"
        cp "$name-O0.oracle" "$name-O2.oracle"
        mv "$name.oracle.out" "$name.expected"
        if [ -s "$name.loose" ]; then
            sancov_counts "$name" -O2
            awk 'FILENAME ~ /loose$/ { loose[$1] = 1; next } FNR == 1 { part++ }
                (part == 1) == ($1 in loose)' "$name.loose" "$name.oracle" "$name-O0.oracle" \
                >"$name-O2.oracle"
        fi
        for level in -O0 -O2; do
            program=$name$level-counted
            case $name in cut-*) sets=every-block ;; *) sets=edges ;; esac
            cotree_build "$name" "$program" $level -fcotree=$sets || continue
            cotree_run "$program"
            same "$name $level: output" "$name.expected" "$program.out" || :
            cotree_json "$program" || continue
            # One exception passes `catches`, which has no handler for it, without landing; at -O2
            # that is inlined where one is, and it lands.
            : >known.limits
            case $name$level in cut-exceptions-O2) echo _ZL7catchesi 1 >known.limits ;; esac
            compare "$name" "$program" $level known
            case $name in
            cut-*)
                program=$name$level-solved
                cotree_build "$name" "$program" $level || continue
                cotree_run "$program"
                cotree_json "$program" || continue
                declared "$program"
                compare "$name" "$program" $level declared
                # An exact profile has the oracle's counts, whatever happened to activations; there
                # is no more to say.
                jq -e .exact "$program.json" >nothing || solved "$name" "$program"
                ;;
            esac
        done
        rm -rf "${name:?}"[-.]*
    done
}

judge_sancov_group() {
    local name group
    for name in $(corpus_names); do
        group=c
        if corpus_is_cxx "$name"; then group=cxx; fi
        case $name in cut-*) group=cut ;; esac
        if [ $group = "$1" ]; then judge_sancov "$name"; fi
    done
    finish
}
