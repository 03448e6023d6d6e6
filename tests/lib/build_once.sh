# build_once OUTPUT COMMAND...: runs `COMMAND... -o OUTPUT`, unless the same command has made the same
# before, here or in another test of the same run of tests/run, and then takes a copy. The command is
# the same if its words are, and the contents of the files that they name, and LLVM and the build that
# is tested. What else decides over the output must not differ between tests: sources are named by
# absolute paths, and none of them names files relative to where it is compiled. A command that fails
# or says something is not kept. Two tests that need the same at the same time make it once.
#
# tests/run makes and removes the directory $COTREE_MADE; a test that runs without it just compiles.
build_once() {
    local output=$1 word files=() made status=0
    shift
    if [ -z "${COTREE_MADE-}" ]; then
        "$@" -o "$output"
        return
    fi
    for word; do if [ -f "$word" ]; then files+=("$word"); fi; done
    made=$({
        printf '%s\n' "$COTREE_BUILD" "${LLVM-}" "$@"
        cat -- "${files[@]}"
    } </dev/null | b2sum -l 160)
    made=$COTREE_MADE/${made%% *}
    {
        flock 8
        if [ ! -e "$made" ]; then
            "$@" -o "$made.new" >"$made.said" 2>&1 || status=$?
            if [ $status -eq 0 ] && [ ! -s "$made.said" ]; then mv "$made.new" "$made"; fi
            cat "$made.said" >&2
            if [ -e "$made.new" ]; then mv "$made.new" "$output"; fi
        fi
        if [ -e "$made" ]; then cp "$made" "$output"; fi
    } 8>"$made.lock"
    return $status
}
