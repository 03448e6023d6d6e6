#!/usr/bin/env bash
# What the map says about the calls of a block: their order, callees, landing pads; and whose
# address is taken. The expected numbers are read off the source by hand.
set -eu
. "$COTREE_TOP/tests/lib/instrument.sh"
cat >calls.cc <<'END'
struct guard { ~guard(); };
extern "C" int outside(int), called(int x), pointed(int x), local_only();
int (*table[])(int) = {pointed};
int called(int x) { return x; }
int pointed(int x) { return x; }
extern "C" int three(int x)
{
    int y = outside(x) +
            table[0](x);
    asm volatile("");
    __builtin_memset(&y, 0, sizeof y);
    y += called(x);
    return y;
}
extern "C" int guarded(int x)
{
    guard g;
    if (x)
        called(1);
    return outside(x);
}
extern "C" int aliased(int) __attribute__((alias("called")));
extern "C" int by_alias(int x)
{
    if (x)
        return 0;
    return aliased(x);
}
END
for level in -O0 -O2; do
    plugin_cc sets=edges $level -c calls.cc -o calls.o
    map_of -c calls.o >dump
    declare -A tag=()
    while read -r _ value _ name _; do tag[$name]=$value; done < <(grep '^tag ' dump)
    block() { # FUNCTION BLOCK: its line
        awk -v f="$1" -v b="$2" '/^tag /{in_it = $4 == f} in_it && $1 == "block" && $2 == b {print}' dump
    }
    outside=$(block three 0 | grep -o 'call:[0-9a-f]*' | head -1)
    [ "$(block three 0)" = "  block 0 hazards 0 $outside call:00000000 call:${tag[called]}" ] ||
        fail "three at $level: $(block three 0)"
    [ "$outside" != call:00000000 ] || fail "a callee without a body has no tag"
    grep -q "invoke:${outside#call:}" <<<"$(sed -n '/function guarded/,/^tag/p' dump)" ||
        fail "guarded makes no invoke at $level"
    grep -q "call:${tag[called]}\$" <<<"$(sed -n '/function by_alias/,/^tag/p' dump)" ||
        fail "an alias is not followed at $level"
    flags() { awk -v f="$1" '/^tag /{in_it = $4 == f} in_it && $1 == "flags" {print $2}' dump; }
    [ "$(flags pointed)" = 1056 ] || fail "pointed: flags $(flags pointed)"
    [ "$(flags three)" = 1024 ] || fail "three: flags $(flags three)"
    [ "$(flags called)" = 1056 ] || fail "called, which has an alias: flags $(flags called)"
done
