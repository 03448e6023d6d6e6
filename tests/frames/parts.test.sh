#!/usr/bin/env bash
# The same of functions that are laid out in parts, each in a section of its own
# (-fbasic-block-sections=all): every part has a table of places. A program or two of every group
# here; PARTS_PROGRAMS='NAME...' takes others. And of a unit with parts beside one without: frames in
# code that no table knows would pass for frames of plain code.
set -u
. "$COTREE_TOP/tests/frames/matrix.sh"
variants_of() { echo O0 parts-O0 parts-O2 beside; }
program_names() {
    printf '%s\n' ${PARTS_PROGRAMS:-exit-inlined throw-nested fork-chain longjmp-handler threads-race segv-jump}
}

build() { # NAME VARIANT DIR
    local flags=("-${2#*-}") parts=-fbasic-block-sections=all
    case $2 in O0) parts= ;; beside) flags=(-O2) ;; esac
    # shellcheck disable=SC2086
    compile "$1" "$3" "${flags[@]}" $parts $both || return 1
    if [ "$2" = beside ]; then
        $cotree cc -O2 $both -x c -c - -o "$3/beside.o" \
            <<<'int cotree_test_beside(int n) { return n > 3 ? n : 3; }'
    fi
    link "$1" "$3/program" "${flags[@]}" "$3"/*.o
}

# A traced function is laid out in one piece: readers must know which of its calls became jumps.
for how in edges trace default; do
    sets=-fcotree=$how
    if [ $how = default ]; then sets=; fi
    # shellcheck disable=SC2086
    $cotree cc -w -pthread -O2 $sets -fbasic-block-sections=all -fsplit-machine-functions \
        -c "$(program_source segv-jump)" -o $how.o || failed "segv-jump does not build with $how"
    nm $how.o | grep -c '\.__part\.' >$how.parts
done
[ "$(cat edges.parts)" -gt 3 ] || failed "functions with counters are not in parts: the test tests nothing"
[ "$(cat trace.parts)" = 0 ] || failed "traced functions are laid out in $(cat trace.parts) parts"
matrix_group parts
