#!/usr/bin/env bash
# Odd stacks and odd objects: rules of every kind, libraries that take the place of others, landing
# pads of exceptions, more places than the walker can remember, damaged stacks.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"

build_exec rules "$HERE/unwind_rules.c"
./rules || fail "rules: status $?"

# Two libraries whose descriptions differ, and little else: they are loaded at the same address in turn.
for linker in bfd lld; do
    for frame in 40 72; do
        "$CLANG" -O1 -fPIC -shared -fuse-ld=$linker -DFRAME=$frame "$HERE/unwind_library.c" \
            -o $linker-$frame.so
    done
done
build_exec load "$HERE/unwind_load.c"
# as before glibc 2.35
objcopy --redefine-sym _dl_find_object=no_such_function "$RUNTIME/runtime-exec.o" old-exec.o
"$CLANG" $CFLAGS_TEST old-exec.o "$HERE/unwind_load.c" "${EXEC_FLAGS[@]}" -o load-old
for program in load load-old; do
    for linker in bfd lld; do
        ./$program ./$linker-40.so ./$linker-72.so >out || fail "$program, $linker: status $?"
        cat out
        grep -q ' [1-9][0-9]* at the address' out ||
            fail "$program, $linker: no library came where another had been"
    done
done
# A walker that is part of a library, in a plain program.
build_shared libwalks.so -DFRAME=40 -Dmain=library_main "$HERE/unwind_load.c" "$HERE/unwind_library.c"
printf 'int library_main(int, char **);\nint main(int count, char **arguments) { return library_main(count, arguments); }\n' >plain.c
"$CLANG" plain.c -L. -lwalks -Wl,-rpath,"$PWD" -o plain
./plain ./bfd-40.so ./bfd-72.so || fail "walker in a library: status $?"

for compiler in "${CLANG/clang/clang++} -O0" "${CLANG/clang/clang++} -O2" "g++ -O0" "g++ -O2"; do
    $compiler -D_GNU_SOURCE -Wall -Wextra -Werror -Wno-unused-function -I"$COTREE_TOP/src" \
        -c "$HERE/unwind_landing.cpp" -o landing.o
    "${CLANG/clang/clang++}" "$RUNTIME/runtime-exec.o" landing.o "${EXEC_FLAGS[@]}" -o landing
    ./landing || fail "landing pads, $compiler: status $?"
done

build_exec odd "$HERE/unwind_odd.c"
build_static odd-static "$HERE/unwind_odd.c"
for program in odd odd-static; do
    for round in 1 2 3; do # addresses differ each time
        ./$program 30000 || fail "damaged stacks, $program: status $?"
    done
done

build_exec crowd "$HERE/unwind_crowd.c"
./crowd || fail "many places at once: status $?"
