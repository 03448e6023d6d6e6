#!/usr/bin/env bash
# The same of programs that a linker compiles (-flto, -flto=thin; lld, GNU ld, gold): counts are
# exact, edge for edge, whatever happens; also those of objects that hold both, of which the linker takes
# the machine code (fat). Two programs or three of every group here;
# LTO_PROGRAMS='NAME...' takes others.
set -u
. "$COTREE_TOP/tests/frames/matrix.sh"
variants_of() { echo O0 lld-full lld-thin bfd-full gold-thin fat; }
program_names() {
    printf '%s\n' ${LTO_PROGRAMS:-exit-inlined exit-in-destructor exit-blocked-threads throw-nested throw-no-cleanup throw-library
        fork-chain vfork-exec longjmp-inlined longjmp-handler pthread-exit-nested threads-race segv-jump term-blocked}
}

build() { # NAME VARIANT DIR
    local flags=(-O0) fat=()
    case $2 in
    *-*) flags=(-O2 "-flto=${2#*-}" "-fuse-ld=${2%-*}") ;;
    fat) flags=(-O2) fat=(-flto -ffat-lto-objects) ;;
    esac
    compile "$1" "$3" "${flags[@]}" "${fat[@]}" $both && link "$1" "$3/program" "${flags[@]}" "$3"/*.o
}
matrix_group lto
