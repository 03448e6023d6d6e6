# Helpers for tests of the runtime: programs with handmade counters are linked by hand, so that
# neither plugin nor driver is needed.
#   build_exec OUT ARGS...     a dynamic executable; ARGS are sources and flags for clang
#   build_static OUT ARGS...   -static (or -static-pie, given in ARGS)
#   build_shared OUT ARGS...   a shared library
#   dump FILE...               prints data files (tests/runtime/dump.c)
#   sum KEY FILE...            the counters of one key, over all files
#   events PROGRAM FILE...     "KIND FUNCTION COUNT; ..." of frames of functions of the program
#                              whose names begin with t_
#   expect WHAT GOT WANTED     fails with a message unless they are equal
CLANG=${CLANG:-clang-${LLVM:-19}}
RUNTIME=$COTREE_BUILD/lib/cotree
HERE=$COTREE_TOP/tests/runtime
CFLAGS_TEST="-O1 -D_GNU_SOURCE -Wall -Wextra -Werror -I$COTREE_TOP/src -I$HERE"

. "$COTREE_TOP/tests/lib/build_once.sh"
build_once ./dump.bin "$CLANG" $CFLAGS_TEST "$HERE/dump.c"
build_once ./flags.bin "$CLANG" $CFLAGS_TEST "$HERE/print_flags.c"
mapfile -t EXEC_FLAGS < <(./flags.bin exec)
mapfile -t STATIC_FLAGS < <(./flags.bin static)

# With RUNTIME_TRACED set, programs have the runtime of traces inside, too, as if something recorded one.
with_traces() { [ -z "${RUNTIME_TRACED-}" ] || echo "-Wl,-u,cotree_trace_begin $RUNTIME/trace-$1.a"; }
build_exec() {
    local out=$1; shift; "$CLANG" $CFLAGS_TEST -Wl,--build-id "$RUNTIME/runtime-exec.o" "$@" \
        $(with_traces exec) "${EXEC_FLAGS[@]}" -o "$out"
}
build_static() { # -static unless ARGS say -static-pie
    local out=$1 mode=-static; shift
    case " $* " in *" -static-pie "*) mode= ;; esac
    "$CLANG" $CFLAGS_TEST $mode -Wl,--build-id "$RUNTIME/runtime-static.o" "$@" $(with_traces static) \
        "${STATIC_FLAGS[@]}" -o "$out"
}
build_shared() {
    local out=$1; shift; "$CLANG" $CFLAGS_TEST -Wl,--build-id -shared -fPIC "$@" "$RUNTIME/runtime-shared.o" \
        -o "$out"
}
# The same for programs that record traces: prog, with trace_dump as ./tdump (tests/runtime/traced.h).
build_traced() { local out=$1; shift; build_exec "$out" "$@" "$RUNTIME/trace-exec.a"; }
build_traced_static() { local out=$1; shift; build_static "$out" "$@" "$RUNTIME/trace-static.a"; }
# What traced.c does, as records() shows it: ids of processes and threads, and where a signal came,
# are left out.
build_traced_by_hand() {
    export COTREE_FOLLOWER=off
    build_tdump
    build_traced prog "$HERE/traced.c"
    build_traced_static static "$HERE/traced.c"
}
records() {
    ./tdump ./*-events |
        sed -e 's/pid=[0-9]*/pid/' -e 's/\(THREAD.*\)what=[0-9]*/\1what/' \
        -e '/SIGNAL/s/ at=[0-9a-f]*\(.\) / at=\1 /' | tr '\n' ';' | sed 's/;/; /g'
}
build_tdump() { build_once ./tdump "$CLANG" $CFLAGS_TEST "$HERE/trace_dump.c"; }
dump() { ./dump.bin "$@"; }
sum() { local key=$1; shift; ./dump.bin "$@" | sed -n "s/^sum $key //p"; }
field() { # NAME FILE: a field of the file line, which comes first
    local text
    text=$(./dump.bin "$2") || return
    text=${text%%$'\n'*}
    if [[ $text =~ ^file\ .*\ $1=([^\ ]*) ]]; then echo "${BASH_REMATCH[1]}"; fi
}
states() { # in the order of the alphabet
    ./dump.bin "$@" | awk '$1 == "slot" { n[$4]++ }
        END {
            count = split("CLAIMED CLEAN EXEC EXITED FREE SIGNALLED USED", state, " ")
            for (i = 1; i <= count; i++)
                if (state[i] in n) { printf "%s%s=%d", between, state[i], n[state[i]]; between = " " }
        }'
}
# in_order: joins the lines of an awk program, which are lines[1] to lines[count], in their order.
in_order='function in_order(    i, k, line, text) {
    for (i = 2; i <= count; i++) {
        line = lines[i]
        for (k = i; k > 1 && line "" < lines[k - 1] ""; k--) lines[k] = lines[k - 1]
        lines[k] = line
    }
    for (i = 1; i <= count; i++) text = text (i > 1 ? "; " : "") lines[i]
    return text
}'
# sorted "LINE; LINE...": the same in order; a semicolon at the end is left out.
sorted() {
    awk -v text="$1" "$in_order"' BEGIN { count = split(text, lines, "; *"); if (lines[count] == "") count--; print in_order() }'
}
events() {
    local program=$1 addresses
    shift
    # A return address may lie behind the function: the byte before is of its call.
    addresses=$(./dump.bin "$@" | awk -v path="/${program##*/}" '
        function before(hex,    i, digit) {
            for (i = length(hex); i > 0 && substr(hex, i, 1) == "0"; i--)
                hex = substr(hex, 1, i - 1) "f" substr(hex, i + 1)
            digit = index("0123456789abcdef", substr(hex, i, 1))
            return substr(hex, 1, i - 1) substr("0123456789abcdef", digit - 1, 1) substr(hex, i + 1)
        }
        BEGIN { printf "" >"events.list" }
        $1 == "module" { is[$2, $3] = substr($0, length($0) - length(path) + 1) == path }
        $1 == "event" && is[$2, $4] && $6 != 0 {
            print $3, $6 >"events.list"
            print $3 ~ /_AT$/ ? $5 : before($5)
        }')
    [ -n "$addresses" ] || return 0
    addr2line -f -e "$program" <<<"$addresses" | awk "$in_order"'
        NR == FNR { kind[NR] = $1; number[NR] = $2; next }
        FNR % 2 && /^(t_|main$)/ { k = (FNR + 1) / 2; n[kind[k] " " $1] += number[k] }
        END { for (i in n) if (n[i] != 0) lines[++count] = i " " n[i]; print in_order() }' events.list -
}
flag() { # NUMBER FILE: is the flag set?
    (($(field flags "$2") & $1))
}
expect() { [ "$2" = "$3" ] || { echo "$1: got '$2', wanted '$3'" >&2; exit 1; }; }
fail() { echo "$*" >&2; exit 1; }
