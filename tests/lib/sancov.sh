# The block counts of an oracle that shares nothing with cotree: SanitizerCoverage on the IR that
# clang emits at -O0 before any pass. (or at another LEVEL, where the blocks for lifetime markers
# are there too, and counted).
# sancov_counts NAME [LEVEL]: leaves NAME.oracle (a line a function: name, counts of its reachable
# blocks in clang's order, see sancov_counts.awk) and NAME.oracle.out (output and status) in the
# current directory.
. "$COTREE_TOP/tests/lib/build_once.sh"
# symbols_of PROGRAM: as nm has them, which needs ten times as long where linker plugins are installed.
symbols_of() { readelf -sW "$1" | awk '$1 ~ /^[0-9]+:$/ && $7 != "UND" { print $2, $4, $8 }'; }
# prepare_ir BASE: makes BASE.ll fit for guards, and writes what its blocks are to BASE.blocks.
prepare_ir() {
    # a private function has no name in nm; a function with counters in it is neither pure nor const
    sed -i "s/^define private /define internal /; s/memory([^)]*)//g" "$1.ll"
    # An exception stops at every landing pad on its way, as in counted code: what it passes
    # otherwise depends on inlining.
    sed -i '/= landingpad /{n; /^ *cleanup/!i\          cleanup
    }' "$1.ll"
    awk -f "$COTREE_TOP/tests/lib/ir_blocks.awk" "$1.ll" >"$1.blocks"
}
# guard_ir IR BITCODE: a guard in each block.
guard_ir() {
    opt-${LLVM:-19} -passes=sancov-module -sanitizer-coverage-level=2 \
        -sanitizer-coverage-trace-pc-guard -sanitizer-coverage-prune-blocks=0 \
        -sanitizer-coverage-pc-table "$1" -o "$2"
}
sancov_counts() {
    local name=$1 level=${2:--O0} unit base flags objects=() lists=()
    [ -e sancov_runtime.o ] || build_once sancov_runtime.o "clang-${LLVM:-19}" -O2 -Wall -Wextra -Werror \
        -c "$COTREE_TOP/tests/lib/sancov_runtime.c"
    for unit in $(corpus_units "$name"); do
        base=$(basename "$unit" | tr . _)
        flags=$(corpus_flags "$name" "$unit")
        # shellcheck disable=SC2086,SC2046
        build_once "$base.ll" $(corpus_clang "$name") $flags $level -Xclang -disable-llvm-passes \
            -fno-discard-value-names -S -emit-llvm "$unit"
        prepare_ir "$base"
        guard_ir "$base.ll" "$base.bc"
        clang-${LLVM:-19} -w -O0 -c "$base.bc" -o "$base.o"
        rm "$base.ll" "$base.bc"
        objects+=("$base.o") lists+=("$base.blocks")
    done
    # shellcheck disable=SC2086
    $(corpus_clang "$name") -no-pie -pthread "${objects[@]}" sancov_runtime.o $corpus_libraries \
        -o "$name.sancov"
    corpus_run "./$name.sancov" "$name.oracle.out" ORACLE_COUNTS="$PWD/$name.counts"
    symbols_of "$name.sancov" >"$name.nm"
    od -An -v -td8 -w8 "$name.counts" >"$name.words"
    awk -f "$COTREE_TOP/tests/lib/sancov_counts.awk" "$name.nm" "${lists[@]}" "$name.counts.pcs" \
        "$name.words" >"$name.oracle" ||
        { cat "$name.oracle"; return 1; }
    LC_ALL=C sort -o "$name.oracle" "$name.oracle"
    rm "$name.sancov" "$name.nm" "$name.words" "$name.counts" "$name.counts.pcs" "${objects[@]}" "${lists[@]}"
}
