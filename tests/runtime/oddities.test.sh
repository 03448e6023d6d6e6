#!/usr/bin/env bash
# Sanitizers, indirect functions, thread hooks that are not reached, and what the runtime asks of
# the C library.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"

# A resolver runs before there is storage to count in (compilers must leave it plain); in -fPIC code
# it can be seen.
build_exec ifunc-pic -fPIE -pie -DHANDMADE_PIC "$HERE/ifunc.c"
./ifunc-pic
flag 128 ifunc-pic.*.cotree || fail "a resolver in -fPIC code is not flagged"
expect "ifunc, -fPIC" "$(sum 8001 ifunc-pic.*.cotree)" "0 1"

# Where the C library does not call the hooks, threads run and the file says that they are not exact.
objcopy --localize-symbol=_dl_allocate_tls --localize-symbol=_dl_allocate_tls_init \
    --localize-symbol=_dl_deallocate_tls \
    "$RUNTIME/runtime-exec.o" hookless.o
"$CLANG" $CFLAGS_TEST hookless.o "$HERE/threads.c" -Wl,--export-dynamic-symbol=cotree_runtime_v2 -o hookless
for kind in pthread thrd; do
    rm -f hookless.*.cotree
    ./hookless $kind 4 100
    flag 4 hookless.*.cotree || fail "hooks that are not reached are not flagged ($kind)"
done

# Sanitizers stand in front of the same functions.
for sanitizer in address undefined thread; do
    build_exec san-$sanitizer -g -fsanitize=$sanitizer "$HERE/threads.c"
    ./san-$sanitizer pthread 4 100 || fail "$sanitizer: status $?"
    expect "$sanitizer" "$(sum 2001 san-$sanitizer.*.cotree) $(field flags san-$sanitizer.*.cotree)" \
        "4 400 4 0 0"
    case $(states san-$sanitizer.*.cotree) in
    *USED*) fail "$sanitizer: $(states san-$sanitizer.*.cotree)" ;;
    esac
done
build_exec san-fork -g -fsanitize=address "$HERE/processes.c"
ASAN_OPTIONS=detect_leaks=0 ./san-fork fork 3
expect "address, fork" "$(sum 3001 san-fork.*.cotree)" "10 3 300 0 0 4"

for variant in exec static shared; do
    # Names are ours or those we stand in front of. (What it needs: names.test.sh.)
    nm -g --defined-only "$RUNTIME/runtime-$variant.o" | awk '{ print $NF }' | sed 's/^__wrap_//' |
        grep -v '^cotree_' |
        sort >names || :
    kind=exec
    [ $variant = static ] && kind=static
    ./flags.bin $kind | sed '/^-Wl,-u,/d; s/.*=//' | grep -v '^cotree_' | sort >wanted
    [ $variant = shared ] && : >wanted
    diff wanted names || fail "runtime-$variant.o defines other names"
done
