#!/usr/bin/env bash
# What is not counted: functions the user leaves out are not in the map, resolvers of ifuncs are,
# and say why they have no counts.
set -eu
. "$COTREE_TOP/tests/lib/instrument.sh"
cat >left.c <<'END'
__attribute__((no_profile_instrument_function)) int unwanted(int x) { return x ? 1 : 2; }
__attribute__((naked)) int bare(void) { __asm__("xorl %eax, %eax; ret"); }
extern inline __attribute__((gnu_inline, always_inline)) int for_inlining(int x) { return x ? 3 : 4; }
static int plain_version(int x) { return x ? 5 : 6; }
static int level(void) { return 1; }
static int (*resolve(void))(int) { return level() ? plain_version : 0; }
int chosen(int x) __attribute__((ifunc("resolve")));
int wanted(int x) { return for_inlining(x) + unwanted(x) + bare(); }
int main(int argc, char **argv) { (void)argv; return wanted(argc) + chosen(argc) == 0; }
END
for level in -O0 -O2; do
    plugin_cc 'sets=edges' $level -c left.c -o left.o
    map_of left.o >map
    grep '^function' map | cut -d' ' -f2 | sort | tr '\n' ' ' >names
    [ "$(cat names)" = "for_inlining level main plain_version resolve wanted " ] ||
        fail "in the map: $(cat names)"
    for name in level resolve; do
        sed -n "/^function $name /,/^function/p" map |
            grep -q 'uncounted: it is called by an ifunc resolver' ||
            fail "$name does not say why it is not counted"
    done
    # They would crash a static program if they counted: thread-local storage comes later.
    for link in "" -static; do
        # shellcheck disable=SC2086
        cotree cc $level $link -fcotree=edges left.c -o left
        COTREE=off ./left
    done
done

plugin_cc 'sets=edges;deny-function=wan*;verbose=1' -c left.c -o left.o 2>messages
! map_of left.o | grep -q '^function wanted' || fail "a denied function is in the map"
grep -q "function 'resolve' is not counted" messages || fail "verbose does not say what is not counted"
plugin_cc 'sets=edges;allow-function=wanted' -c left.c -o left.o
[ "$(map_of left.o | grep -c '^function')" = 1 ] || fail "allow-function=wanted leaves more than one"
plugin_cc 'sets=edges;deny-file=*/left.c' -c left.c -o left.o
! readelf -SW left.o | grep -q cotree || fail "a unit without counted functions has sections of ours"

# Wrong options are one line of clang's.
if plugin_cc 'sets=nonsense' -c left.c -o left.o 2>messages; then
    fail "an unknown counter set was accepted"
fi
grep -q "error: cotree: there is no counter set 'nonsense'" messages || fail "said instead: $(cat messages)"
if plugin_cc 'colour=blue' -c left.c -o left.o 2>messages; then fail "an unknown option was accepted"; fi
if plugin_cc 'use=missing.cotree' -c left.c -o left.o 2>messages; then
    fail "a missing profile was accepted"
fi
grep -q "missing.cotree" messages || fail "the missing profile is not named: $(cat messages)"

# Coroutines are left and entered in the middle.
cat >coroutine.cpp <<'END'
#include <coroutine>
struct sequence {
    struct promise_type {
        int value;
        sequence get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(int x) { value = x; return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };
    std::coroutine_handle<promise_type> handle;
};
sequence squares(int n)
{
    for (int i = 0; i < n; i++)
        co_yield i * i;
}
int main()
{
    int sum = 0;
    sequence s = squares(5);
    for (s.handle.resume(); !s.handle.done(); s.handle.resume())
        sum += s.handle.promise().value;
    s.handle.destroy();
    return sum - 30;
}
END
for level in -O0 -O2; do
    rm -f ./*.cotree
    cotree c++ -std=c++20 $level -fcotree=edges,every-edge coroutine.cpp -o coroutine
    ./coroutine
    cotree report --check-sets --format=json coroutine ./coroutine.*.cotree >json
    [ "$(jq -r '.functions[] | select(.linkage_name == "_Z7squaresi") | "\(.exact) \(.why)"' json |
        cut -c1-23)" = "false it is a coroutine" ] ||
        fail "$level: a coroutine is counted"
done
