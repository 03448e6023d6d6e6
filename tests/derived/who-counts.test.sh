#!/usr/bin/env bash
# Which functions do without a counter for their entries: those that nothing but known calls of
# counted functions can enter. The program names them.
set -eu
. "$COTREE_TOP/tests/lib/instrument.sh"
cat >unit.c <<'END'
#include <setjmp.h>
void outside(void (*)(void));
int global(int);
static int derived_leaf(int x) { return x + 1; }
static int derived_branch(int x) { return x ? derived_leaf(x) : 0; }
static int derived_loop(int n) { int s = 0; while (n--) s += derived_branch(n); return s; }
static int counted_recursive(int n) { return n ? counted_recursive(n - 1) : derived_leaf(n); }
static int ring_b(int n);
static int ring_a(int n) { return n ? ring_b(n - 1) : 1; }
static int ring_b(int n) { return n ? ring_a(n - 1) : 0; }
static void counted_pointed(void) { derived_leaf(1); }
static int counted_in_table(int x) { return x; }
int (*table[])(int) = {counted_in_table};
static int counted_aliased(int x) { return x; }
int alias(int) __attribute__((alias("counted_aliased")));
__attribute__((used)) static int counted_used(int x) { return x; }
__attribute__((constructor)) static void counted_constructor(void) { derived_leaf(2); }
static int counted_in_assembly(int x) { return x; }
static int counted_in_file_assembly(int x) { return x; }
asm(".globl entry_point\n.set entry_point, counted_in_file_assembly");
static int counted_by_uncounted(int x) { return x; }
__attribute__((no_profile_instrument_function)) int uncounted(int x) { return counted_by_uncounted(x); }
static int derived_dead_end(int x) { if (x < 0) __builtin_abort(); return x; }
static int counted_endless(int x) { if (x) for (;;) asm volatile(""); return x; }
static int counted_never_back(int x) { __builtin_trap(); }
static int derived_labels(int x) { static void *at[] = {&&a, &&b}; goto *at[x & 1]; a: return 1; b: return 2; }
static int derived_last(int x) { return x; }
static int derived_tails(int x) { if (x > 9) return derived_leaf(x); if (x > 5) return global(x); return derived_branch(x); }
static jmp_buf home;
static int counted_resumed(int x) { if (setjmp(home)) return x; return global(x); }
static int derived_unreached(int x) { return x; }
inline int several_units(int x);
static int counted_by_weak(int x) { return x; }
__attribute__((weak)) int weak_one(int x) { return counted_by_weak(x); }
int global(int x)
{
    outside(counted_pointed);
    table[0](x);
    asm volatile("call counted_in_assembly" ::: "memory");
    if (x == 77)
        return global(counted_in_file_assembly(x) + counted_in_assembly(x));
    x += counted_recursive(x) + ring_a(x) + derived_loop(x) + counted_aliased(x) + counted_used(x) + counted_by_uncounted(x);
    x += derived_dead_end(x) + counted_endless(x) + derived_labels(x) + counted_resumed(x) + counted_by_weak(x) + counted_in_table(x) + derived_tails(x);
    return derived_last(x);
    derived_unreached(x);
    counted_never_back(x);
}
END
# names FLAG...: the functions without a counter for their entries.
names() {
    plugin_cc "$@" -w -std=gnu17 -c unit.c -o unit.o
    map_of unit.o | awk '$1 == "function" { name = $2 } $1 == "flags" && int($2 / 64) % 2 { print name }' |
        sort
}
for flags in -O0 -O2 '-O2 -fPIC' '-O3 -g' -Os; do
    # shellcheck disable=SC2086
    names sets=edges $flags >got
    ! grep counted_ got || fail "$flags: entries that calls do not give are derived"
    for name in derived_leaf derived_branch derived_loop derived_dead_end derived_labels derived_last \
        derived_tails; do
        grep -qx $name got || fail "$flags: $name counts its entries"
    done
    [ "$(grep -c ring_ got)" = 1 ] ||
        fail "$flags: of a ring of two one counts its entries, not $(grep -c ring_ got)"
done
# A call that may become a tail call, before which paths are counted, leaves no frame behind.
names sets=edges,paths -O2 >got
grep -qx derived_tails got || fail "beside paths: derived_tails counts its entries"
# One counter fewer each, and none at all where nothing branches.
counters() {
    plugin_cc "$1" -O2 -w -c unit.c -o unit.o; map_of unit.o |
        awk '$1 == "function" { name = $2 } $1 == "flags" { print name, $8 }' | sort
}
counters sets=edges >edges
[ "$(awk '$1 == "derived_leaf" { print $2 }' edges)" = 0 ] || fail "derived_leaf has counters"
counters "sets=edges;durable=1" >durable
[ "$(awk '$1 == "derived_leaf" { print $2 }' durable)" = 1 ] || fail "durable: derived_leaf has no counter"
[ -z "$(names "sets=edges;durable=1" -O2)" ] || fail "durable: entries are derived"
# Only edge profiles do so; a counter on every edge, and one in every block, stay what they say.
for sets in blocks every-edge every-block knuth figure-11; do
    [ -z "$(names sets=$sets -O2)" ] || fail "$sets: entries are derived"
done
counters sets=every-edge >every
counters sets=edges,every-edge >both
join every edges | awk '{ print $1, $2 + $3 }' >sum
same sum both "every-edge beside edges has other counters than alone"
