#!/usr/bin/env bash
# Our walks of stacks are those of libgcc's unwinder, frame by frame and register by register: with
# and without frame pointers, optimised or not, by clang and gcc, in every way of linking; from
# signal handlers at every single instruction (step) and at random ones (ticks), on alternate and
# handmade stacks, in threads; where nothing describes the code, libgcc's walk ends and ours goes
# on.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"

check() { # program kind...
    local program=$1 what; shift
    for what; do
        status=0
        ./"$program" $what >out 2>err || status=$?
        [ $status -eq 0 ] || { head -60 err; fail "$program $what: status $status"; }
        echo "$program $(cat out)"
    done
}
everything=(shapes signals alternate step step-alternate threads "ticks 600" "ticks 601" undescribed)

build_exec O0 -O0 "$HERE/unwind.c"
build_exec O2 -O2 -fomit-frame-pointer "$HERE/unwind.c"
build_exec O3 -O3 -fno-omit-frame-pointer -no-pie "$HERE/unwind.c"
build_exec lld -O2 -fuse-ld=lld "$HERE/unwind.c"
build_exec lld-now -O1 -fcf-protection -fuse-ld=lld -Wl,-z,now "$HERE/unwind.c"
build_exec gold -O1 -fuse-ld=gold "$HERE/unwind.c"
gcc $CFLAGS_TEST -O1 -fno-omit-frame-pointer -c "$HERE/unwind.c" -o gcc-O1.o
build_exec gcc-O1 gcc-O1.o
gcc $CFLAGS_TEST -O3 -mavx -fomit-frame-pointer -c "$HERE/unwind.c" -o gcc-O3.o
build_exec gcc-O3 gcc-O3.o
build_static static -O2 "$HERE/unwind.c"
build_static static-pie -O2 -fPIE -static-pie "$HERE/unwind.c"
for program in O0 O2 O3 lld lld-now gold gcc-O1 gcc-O3 static static-pie; do
    check $program "${everything[@]}"
done
# lld does not describe its stubs, so that there the walk must have gone beyond libgcc's.
for program in lld lld-now; do
    ./$program step | grep -q ' 0 beyond' && fail "$program: no stub was stepped through"
done

# C libraries without _dl_find_object: the name is made unknown.
for kind in exec static; do
    objcopy --redefine-sym _dl_find_object=no_such_function "$RUNTIME/runtime-$kind.o" old-$kind.o
done
"$CLANG" $CFLAGS_TEST old-exec.o "$HERE/unwind.c" "${EXEC_FLAGS[@]}" -o old
"$CLANG" $CFLAGS_TEST -static old-static.o "$HERE/unwind.c" "${STATIC_FLAGS[@]}" -o old-static
for program in old old-static; do
    check $program shapes signals alternate step threads "ticks 300" undescribed
done

# Kernels before 5.14 have no MADV_POPULATE_READ.
"$CLANG" $CFLAGS_TEST "$HERE/deny.c" -o deny
for what in shapes alternate threads undescribed; do
    ./deny 28=22 -- ./O2 $what >out 2>err || { head -60 err; fail "without madvise: $what"; }
done
