#!/usr/bin/env bash
# Traces are packed by zstd, but not in the program: one that uses zstd itself, from the system's
# library or as a copy of its own, is unharmed, and calls what it would call.
set -eu
cotree=$COTREE_BUILD/cotree
: "${LLVM:=19}"
fail() { echo "$*" >&2; exit 1; }
cat >prog.c <<'C'
#include <stdio.h>
#include <string.h>
#include <zstd.h>
static char text[1 << 18], packed[1 << 19], unpacked[1 << 18];
static unsigned next(unsigned n) { return n & 1 ? n * 5 + 7 : n / 2 + 11; }
int main(void)
{
    unsigned n = 1, same = 0;
    size_t all = 0;
    for (int round = 0; round < 40; round++) { /* enough for a follower to begin */
        for (size_t i = 0; i < sizeof text; i++)
            text[i] = "abcdefgh"[(n = next(n)) >> 7 & 7];
        size_t length = ZSTD_compress(packed, sizeof packed, text, sizeof text, 1);
        all += length;
        same += ZSTD_decompress(unpacked, sizeof unpacked, packed, length) == sizeof text && memcmp(text, unpacked, sizeof text) == 0;
    }
    printf("%u %zu %s\n", same, all, ZSTD_versionString());
    return same != 40;
}
C
# A copy of its own has the library's names.
cat >own.c <<'C'
#include <stddef.h>
static void change(char *to, const char *from, size_t length)
{
    for (size_t i = 0; i < length; i++)
        to[i] = i % 3 ? from[i] ^ 1 : from[i];
}
size_t ZSTD_compress(void *to, size_t room, const void *from, size_t length, int level)
{
    change(to, from, length);
    return level > 0 && length <= room ? length : 0;
}
size_t ZSTD_decompress(void *to, size_t room, const void *from, size_t length)
{
    change(to, from, length);
    return length <= room ? length : 0;
}
const char *ZSTD_versionString(void) { return "its own"; }
C
check() { # NAME FILES...
    local name=$1
    shift
    "clang-$LLVM" -O1 "$@" -o plain
    "$cotree" cc -O1 -fcotree=trace "$@" -o "$name"
    ./plain >plain.out || fail "$name: status $?"
    COTREE_FILE=$name.cotree COTREE_FOLLOWER=$cotree ./"$name" >out || fail "$name: traced: status $?"
    cmp plain.out out || fail "$name: $(cat out), not $(cat plain.out)"
    "$cotree" trace "$name" "$name.cotree" >summary || fail "$(cat summary)"
    grep -q 'complete: nothing that was written is lost' summary || fail "$name: $(cat summary)"
    [ ! -e "$name.cotree-events" ] || fail "$name: nobody packed the trace"
    "$cotree" report --format=json "$name" "$name.cotree" >report.json
    jq -e '.exact and ([.functions[] | select(.name == "next") | .entries] == [10485760])' report.json \
        >/dev/null || fail "$name: not exact"
}
check library prog.c -lzstd
if nm library | grep -iE ' t _?(zstd|huf|fse)_[a-z0-9_]*$'; then fail "zstd is in the program"; fi
grep -q ' [0-9.]*$' out || fail "not the library's: $(cat out)"
check own prog.c own.c
grep -q ' its own$' out || fail "not its own: $(cat out)"
jq -e '[.functions[] | select(.name == "ZSTD_compress") | .entries] == [40]' report.json >/dev/null ||
    fail "its own copy was not called as often"
