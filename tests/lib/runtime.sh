# Helpers for tests of the runtime: programs with handmade counters are linked by hand, so that neither plugin nor driver is needed.
#   build_exec OUT ARGS...     a dynamic executable; ARGS are sources and flags for clang
#   build_static OUT ARGS...   -static (or -static-pie, given in ARGS)
#   build_shared OUT ARGS...   a shared library
#   dump FILE...               prints data files (tests/runtime/dump.c)
#   sum KEY FILE...            the counters of one key, over all files
#   expect WHAT GOT WANTED     fails with a message unless they are equal
CLANG=${CLANG:-clang-19}
RUNTIME=$COTREE_BUILD/lib/cotree
HERE=$COTREE_TOP/tests/runtime
CFLAGS_TEST="-O1 -D_GNU_SOURCE -Wall -Wextra -Werror -I$COTREE_TOP/src -I$HERE"

"$CLANG" $CFLAGS_TEST "$HERE/dump.c" -o ./dump.bin
"$CLANG" $CFLAGS_TEST "$HERE/print_flags.c" -o ./flags.bin
mapfile -t EXEC_FLAGS < <(./flags.bin exec)
mapfile -t STATIC_FLAGS < <(./flags.bin static)

build_exec() { local out=$1; shift; "$CLANG" $CFLAGS_TEST -Wl,--build-id "$RUNTIME/runtime-exec.o" "$@" "${EXEC_FLAGS[@]}" -o "$out"; }
build_static() { # -static unless ARGS say -static-pie
    local out=$1 mode=-static; shift
    case " $* " in *" -static-pie "*) mode= ;; esac
    "$CLANG" $CFLAGS_TEST $mode -Wl,--build-id "$RUNTIME/runtime-static.o" "$@" "${STATIC_FLAGS[@]}" -o "$out"
}
build_shared() { local out=$1; shift; "$CLANG" $CFLAGS_TEST -Wl,--build-id -shared -fPIC "$@" "$RUNTIME/runtime-shared.o" -o "$out"; }
dump() { ./dump.bin "$@"; }
sum() { local key=$1; shift; ./dump.bin "$@" | sed -n "s/^sum $key //p"; }
field() { # NAME FILE: a field of the file line
    ./dump.bin "$2" | sed -n "s/^file .* $1=\([^ ]*\).*/\1/p"
}
states() { ./dump.bin "$@" | awk '$1 == "slot" { n[$4]++ } END { for (s in n) print s "=" n[s] }' | sort | tr '\n' ' ' | sed 's/ $//'; }
flag() { # NUMBER FILE: is the flag set?
    (($(field flags "$2") & $1))
}
expect() { [ "$2" = "$3" ] || { echo "$1: got '$2', wanted '$3'" >&2; exit 1; }; }
fail() { echo "$*" >&2; exit 1; }
