#!/usr/bin/env bash
# What the runtime adds to every program stays as small as it was made: code and tables (the first
# column of `size`) and memory. A program that catches exceptions takes nothing of the trace's
# runtime, which is 50 KB of code and 2 MB of memory; nor does one with -fcotree=none.
set -eu
. "$COTREE_TOP/tests/lib/build_once.sh"
fail() { echo "$*" >&2; exit 1; }

echo 'int puts(const char *); int main(void) { puts("hello"); return 0; }' > hello.c
cat > catch.cpp << 'END'
#include <stdexcept>
int main(int count, char **) {
    try {
        if (count > 3)
            throw std::runtime_error("x");
    } catch (std::exception &) {
        return 1;
    }
    return 0;
}
END
cat > limits.c << 'END'
#include <sys/mman.h>
#include <sys/resource.h>
int main(void) { struct rlimit limit; return getrlimit(RLIMIT_AS, &limit) + mlockall(0) == -2; }
END

# added COMPILER SOURCE COLUMN: bytes more than without counters, of code and tables (1) or memory (3).
added() {
    "$COTREE_BUILD/cotree" "$1" -O2 "$2" -o counted
    "$COTREE_BUILD/cotree" "$1" -O2 -fcotree=none "$2" -o plain
    size counted plain | awk -v column="$3" 'NR == 2 { with = $column } NR == 3 { print with - $column }'
}
within() { # WHAT BYTES LIMIT
    [ "$2" -le "$3" ] || fail "$1: $2 bytes, at most $3 are wanted"
    [ "$2" -ge $(($3 * 9 / 10)) ] || fail "$1: $2 bytes, so the limit of $3 can be lower"
}

hello=$(added cc hello.c 1)
within "code and tables of a C program" "$hello" 102800
within "memory of a C program" "$(added cc hello.c 3)" 220000

# Calls of functions that only traces stand in front of: small functions that go on to the C library's.
added=$(added cc limits.c 1)
[ "$added" -le $((hello + 2000)) ] || fail "a program that asks for limits: $added bytes, others $hello"

for options in "" -pthread -fuse-ld=lld -static-libgcc -Wl,--no-as-needed; do
    # shellcheck disable=SC2086
    "$COTREE_BUILD/cotree" c++ -O2 -fcotree=none $options catch.cpp -o plain
    [ -n "$(nm plain)" ] || fail "-fcotree=none $options: no symbols"
    [ "$options" = -static-libgcc ] || ! nm plain | grep cotree_ ||
        fail "-fcotree=none $options: the runtime was taken"
    ./plain || fail "-fcotree=none $options: an exception is not caught"
done
"$COTREE_BUILD/cotree" c++ -O2 catch.cpp -o catch
nm catch | grep -q ' cotree_trace_begin$' && fail "a program that catches has the trace's runtime"
"$COTREE_BUILD/cotree" c++ -O2 -fcotree=trace catch.cpp -o traced
nm traced | grep -q ' cotree_trace_begin$' || fail "a traced program has no runtime of traces"
nm traced | grep -q ' [TW] __cxa_begin_catch$' || fail "a traced program does not see catches"
exit 0
