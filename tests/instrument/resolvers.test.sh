#!/usr/bin/env bash
# A resolver of an ifunc may call code of other units, which counts: a static program keeps these
# counts, and does not crash; in a dynamic one the loader clears them, and the report says so. A
# resolver that keeps to itself does no harm.
set -eu
. "$COTREE_TOP/tests/lib/instrument.sh"
cat >detect.c <<'SOURCE'
static int level;
int detect(void)
{
    for (int i = 0; i < 3; i++)
        level += i;
    return level > 2;
}
SOURCE
cat >main.c <<'SOURCE'
int detect(void);
static int fast(int x) { return 2 * x; }
static int slow(int x) { return x + x; }
#ifdef ALONE
static int decide(void) { return __builtin_cpu_supports("sse2"); }
static int (*resolve(void))(int) { __builtin_cpu_init(); return decide() ? fast : slow; }
#else
static int decide(void) { return detect(); }
static int (*resolve(void))(int) { return decide() ? fast : slow; }
#endif
int chosen(int x) __attribute__((ifunc("resolve")));
int main(void) { return chosen(4) - 8; }
SOURCE
# runs WHAT: the program's report, and how often detect was entered; null: it may have been, unseen
runs() {
    rm -f ./*.cotree
    ./prog || fail "$kind: status $?"
    cotree report --format=json prog ./prog.*.cotree |
        jq -c '[.exact, (.why_not_exact[] | .[0:33]), (.functions[] | select(.name == "detect") | .entries)]'
}
for kind in -static "-static -O2" "-static-pie -O2" "-static -fuse-ld=lld"; do
    cotree cc $kind detect.c main.c -o prog
    [ "$(runs)" = '[false,"decide and resolve are not counte",1]' ] || fail "$kind: $(runs)"
done
for kind in -O0 -O2 "-fPIC -static"; do
    cotree cc $kind -Wl,-z,now detect.c main.c -o prog
    [ "$(runs)" = '[false,"code was run by an ifunc resolver","decide and resolve are not counte",null]' ] ||
        fail "$kind: $(runs)"
done
for kind in -O0 -static; do
    cotree cc $kind -DALONE main.c -o prog
    [ "$(runs)" = '[false,"decide and resolve are not counte"]' ] || fail "$kind, alone: $(runs)"
done

# Resolvers that clang makes are nobody's: nothing is missing without them.
cat >clones.c <<'SOURCE'
__attribute__((target_clones("sse4.2", "default"))) int chosen(int x) { return x > 3 ? x : 2 * x; }
int main(void) { return chosen(4) - 4; }
SOURCE
kind=clones
cotree cc -O1 clones.c -o prog
[ "$(runs)" = '[true]' ] || fail "clones: $(runs)"
