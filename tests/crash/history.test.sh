#!/usr/bin/env bash
# -fcotree-crash=history:N: cores tell the last rounds of each loop, and how many came before; in functions
# that are named, in no others, and nothing that is wrong.
set -eu
. "$COTREE_TOP/tests/crash/lib.sh"
[ "$(cat /proc/sys/kernel/core_pattern)" = core ] ||
    { echo "skipped: cores are not written beside the program"; exit 77; }
ulimit -c unlimited
cat >rounds.c <<'C'
#include <stdlib.h>
volatile int last;
__attribute__((noinline)) static int step(int i)
{
    if (i == last)
        abort();
    return i;
}
__attribute__((noinline)) static int other(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += step(-1 - i);
    return s + step(10000 + n);
}
int main(int argc, char **argv)
{
    int s = 0;
    last = atoi(argv[1]);
    for (int i = 0; i < 1000; i++) {
        if (i % 4 == 3)
            s += argc;
        for (int k = 0; k < 2; k++)
            s ^= step(2 * i + k);
        s += other(i);
    }
    return s;
}
C
# told FUNCTION LAST: for each part of its innermost frame: kind, rounds before it, its lines.
told() {
    rm -f core
    { ./prog "$2" || :; } 2>/dev/null
    "$cotree" crash --format=json ./prog core | jq -r --arg name "$1" \
        '[.threads[].frames[] | select(.function == $name)][0].history[] |
        "\(.kind) \(.earlier_rounds) \([.lines[].line] | unique | join(","))"' >said ||
        fail "cotree crash: $?"
    cat said
}
compile() { "$cotree" cc -fcotree=crash "$@" rounds.c -o prog; }
for level in -O0 -O2 "-O2 -flto" "-O2 -flto=thin -fuse-ld=lld"; do
    # shellcheck disable=SC2086
    compile $level -fcotree-crash=history:2
    # Step 13 is the second of round 6: of its own round, and of round 6, 4 and 5 are in the ring, and more.
    told main 13 >main
    grep -qx 'last round 6 .*' main && grep -q '^round 5 ' main && grep -q '^round 4 ' main ||
        fail "$level: $(cat main)"
    grep -q '^round 5 .*22' main && fail "$level: round 5 did not run line 22: $(cat main)"
    grep -qx "last round 1 .*" main && grep -qx "round 0 .*" main ||
        fail "$level: the loop inside: $(cat main)"
    told main 16 >main
    grep -q '^round 7 .*22' main || fail "$level: round 7 ran line 22: $(cat main)"
    # As long as the ring is not full all rounds are told.
    told main 3 >main
    [ "$(grep -c '^round 0 ' main)" = 2 ] || fail "$level: all rounds: $(cat main)"
done
# In text, equal rounds are one line, and what came before them is said.
compile -O2 -fcotree-crash=history:100
told main 1990 >/dev/null
"$cotree" crash ./prog core >text
grep -q '^ *868 earlier rounds are not known$' text && grep -q '^ *round (3 times): ' text &&
    grep -q '^ *last round: ' text || fail "text: $(cat text)"
[ "$(grep -c '^ *round' text)" = 20 ] && grep -q "^ *[0-9]* more are not shown" text ||
    fail "many rounds: $(cat text)"
# Only functions that are named have rings; the largest number counts.
while read -r wanted options; do
    # shellcheck disable=SC2086
    compile -O2 $options
    told other -9 >other
    found=$(grep -c '^round ' other) || :
    [ "$found" = "$wanted" ] || fail "$options: $found rounds, not $wanted: $(cat other)"
    [ "$wanted" != 0 ] || grep -q '^last round null ' other || fail "$options: $(cat other)"
done <<'END'
0 -fcotree-crash=history:2:main
3 -fcotree-crash=history:2:other
0 -fcotree-crash=history:1000:nobody
7 -fcotree-crash=history:2 -fcotree-crash=history:4:o*r
END
for words in history history: history:0 history:65536 history:x history:3x history:-1 history:3:; do
    status=0
    "$cotree" cc -fcotree=crash "-fcotree-crash=$words" rounds.c -o prog 2>said || status=$?
    [ "$status" = 64 ] && [ "$(wc -l <said)" = 1 ] || fail "-fcotree-crash=$words: $status, $(cat said)"
done
# What is told is what the programs did.
prepare_judge
for scheme in "-O2 -fcotree-crash=history:2" "-O0 -fcotree-crash=history:1" \
    "-O3 -fcotree-crash=history:70 -fcotree-crash=paths -fcotree-crash=faults"; do
    for source in "$here"/programs/*.c "$here"/programs/*.cpp; do
        more_sources=
        case $source in
            */pure_extern.c | */coroutine.cpp) continue ;;
            */pure_and_builtin.c | */sunk_calls.c) more_sources=$here/programs/pure_extern.c ;;
        esac
        # shellcheck disable=SC2086
        judge_program "$source" "${STEP:-1201}" $scheme
        echo "$(basename "$source") $scheme: $compared frames, $rounds rounds, $unique unique so far"
    done
done
[ "$rounds" -gt 400 ] || fail "too few rounds were told"
