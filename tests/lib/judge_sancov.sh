# judge_sancov NAME...: block counts at -O0 and -O2 are those of SanitizerCoverage, run on the IR that clang emits at -O0 before any pass.
# Programs that drop activations: a counter on every block is right even there, and solved counts are off by no more than the profile admits.
# Functions of graph-differences.txt: at -O2 they are compared with the oracle on the IR of -O2, of which cotree leaves out some blocks.
# Source corpus.sh, judge.sh and sancov.sh first.

compare() { # NAME PROGRAM LEVEL
    local own=
    # what bodies of library functions call in headers when they are inlined is not the source's: its own functions are compared then
    if [ "$3" != -O0 ]; then own=own; fi
    json_blocks "$2" $own
    if [ -n "$own" ]; then
        awk 'FNR == NR { own[$1] = 1; next } $1 in own' "$2.blocks" "$1$3.oracle" >own.oracle
    else
        cp "$1$3.oracle" own.oracle
    fi
    awk -f "$COTREE_TOP/tests/lib/blocks_agree.awk" ./*.limits "$1.loose" own.oracle "$2.blocks" >"$2.verdict" ||
        { failed "$2: block counts differ from the oracle's"; head -n "${SAME_LINES:-12}" "$2.verdict"; }
}
declared() { # PROGRAM: how far its counts may be off
    jq -r '.functions[] | select(.exact | not) | "\(.linkage_name) \(.max_error // "any")"' "$1.json" >declared.limits
}

judge_sancov() {
    local name level program sets
    touch none.limits
    for name; do
        sancov_counts "$name" || { failed "$name: no oracle"; continue; }
        listed "$name" >"$name.loose"
        mv "$name.oracle" "$name-O0.oracle"
        cp "$name-O0.oracle" "$name-O2.oracle"
        mv "$name.oracle.out" "$name.expected"
        if [ -s "$name.loose" ]; then
            sancov_counts "$name" -O2
            awk 'FILENAME ~ /loose$/ { loose[$1] = 1; next } FNR == 1 { part++ } (part == 1) == ($1 in loose)' "$name.loose" "$name.oracle" "$name-O0.oracle" \
                >"$name-O2.oracle"
        fi
        for level in -O0 -O2; do
            program=$name$level-counted
            case $name in cut-*) sets=every-block ;; *) sets=edges ;; esac
            cotree_build "$name" "$program" $level -fcotree=$sets || continue
            cotree_run "$program"
            same "$name $level: output" "$name.expected" "$program.out" || :
            cotree_json "$program" || continue
            # An exception passes a frame that has no handler for it, unless another frame with one is inlined there.
            case $name$level in cut-exceptions-O2) declared "$program" ;; esac
            compare "$name" "$program" $level
            case $name in
            cut-*)
                program=$name$level-solved
                cotree_build "$name" "$program" $level || continue
                cotree_run "$program"
                cotree_json "$program" || continue
                declared "$program"
                compare "$name" "$program" $level
                ;;
            esac
            rm -f declared.limits
        done
        rm -rf "${name:?}"[-.]*
    done
}
