#!/usr/bin/env bash
# Incremental builds with ThinLTO and lld's cache (--thinlto-cache-dir) never mix stale code in:
# what is linked again unchanged comes from the cache, whatever changes what a unit counts does not,
# and counts are those of a build without a cache.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
cat >a.c <<'END'
#include <stdio.h>
int part(int x);
int main(void)
{
    long s = 0;
    for (int i = 0; i < 100; i++)
        s += part(i);
    printf("%ld\n", s);
    return 0;
}
END
part() {
    printf 'int part(int x)\n{\n    if (x %% %d == 0)\n        return 1;\n    return x * 3;\n}\n' "$1" >b.c
}
mkdir tree && cp -R "$COTREE_BUILD/cotree" "$COTREE_BUILD/lib" tree/
cotree=$PWD/tree/cotree
entries() { find cache -name 'llvmcache-*' ! -name '*timestamp' | sort; }

# build WANT ARG...: compiles both units and links; the cache has as many new entries as wanted;
# counts are exact, and those of a build without a cache.
build() {
    local want=$1 unit
    shift
    entries >before
    for unit in a b; do "$cotree" cc -O2 -flto=thin -fcotree=edges,every-edge "$@" -c $unit.c -o $unit.o; done
    "$cotree" cc -O2 -flto=thin -fuse-ld=lld -Wl,--thinlto-cache-dir=cache "$@" a.o b.o -o cached
    "$cotree" cc -O2 -flto=thin -fuse-ld=lld "$@" a.o b.o -o fresh
    entries >after
    [ "$(comm -13 before after | wc -l)" -eq "$want" ] ||
        die "$* : $(comm -13 before after | wc -l) new entries in the cache, not $want"
    cmp cached fresh || die "$*: what comes from the cache is another program"
    rm -f ./*.cotree
    COTREE_FILE=run.cotree ./cached >cached.out
    "$cotree" report --check-sets --format=json ./cached run.cotree >report.json 2>messages ||
        die "$*: $(cat messages)"
    jq -e .exact report.json >/dev/null || die "$*: not exact"
}
count() { jq -c '[.functions[] | select(.name == "part") | .edges[].count]' report.json; }
mkdir cache
part 2; build 2; two=$(count)
build 0
[ "$(count)" = "$two" ] || die "the same program counts $(count) from the cache, $two before"
part 5; build 2 # part is inlined into main: both units are compiled again
[ "$(count)" != "$two" ] || die "the old part was linked: $(count)"
build 2 -fcotree=every-edge,edges
part 2; build 0
[ "$(count)" = "$two" ] || die "counts of the old program: $(count), not $two"

# Another plugin made the object: nothing of the old one's is used.
hash=$(sha256sum <tree/lib/cotree/plugin.so | cut -c1-16)
sed -i "s/$hash/0123456789abcdef/" tree/cotree
build 2
