#!/usr/bin/env bash
# A program counts into its file in every way of linking: three linkers; PIE, no-PIE, static,
# static-pie; --gc-sections; stripped.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"

check() { # name
    rm -f ./*.cotree
    { "./$1" 1000 kill; } 2>/dev/null && fail "not killed"
    expect "$1 killed" "$(sum 1001 "$1".*.cotree)" "1 1000 1"
    expect "$1 killed: states" "$(states "$1".*.cotree)" "USED=1"
    rm -f ./*.cotree
    "./$1" 1000
    expect "$1" "$(sum 1001 "$1".*.cotree)" "1 1000 1"
    expect "$1: constructor, destructor, exit handler" "$(sum 1002 "$1".*.cotree)" "1 1 1 0"
    expect "$1: states" "$(states "$1".*.cotree)" "CLEAN=1"
    expect "$1: clean runs" "$(field clean "$1".*.cotree)" 1
}

for linker in bfd lld gold; do
    for gc in "" -Wl,--gc-sections; do
        suffix=$linker${gc:+-gc}
        build_exec "pie-$suffix" -fPIE -pie -fuse-ld=$linker $gc "$HERE/simple.c"
        build_exec "nopie-$suffix" -fno-pie -no-pie -fuse-ld=$linker $gc "$HERE/simple.c"
        build_static "static-$suffix" -fno-pie -fuse-ld=$linker $gc "$HERE/simple.c"
        [ $linker = gold ] ||
            build_static "staticpie-$suffix" -fPIE -static-pie -fuse-ld=$linker $gc "$HERE/simple.c"
        build_exec "picexec-$suffix" -fPIE -DHANDMADE_PIC -pie -fuse-ld=$linker $gc "$HERE/simple.c"
        for kind in pie nopie static staticpie picexec; do
            [ -e "$kind-$suffix" ] || continue # gold has no static-pie
            check "$kind-$suffix"
            if [ -n "$gc" ]; then
                strip "$kind-$suffix"
                check "$kind-$suffix"
            fi
        done
    done
done

for linker in bfd lld; do
    build_exec lto-$linker -flto -fuse-ld=$linker "$HERE/simple.c"
    check lto-$linker
done
build_static lto-static -flto -fuse-ld=lld "$HERE/simple.c"
check lto-static

# Where lld would put the program's own thread-local data between the counters, they are not mapped,
# and the file says so.
"$CLANG" $CFLAGS_TEST -fPIE -pie -fuse-ld=lld "$HERE/simple.c" "$RUNTIME/runtime-exec.o" "${EXEC_FLAGS[@]}" \
    -o misplaced
./misplaced 5
flag 2 misplaced.*.cotree || fail "misplaced counters are not noted"
