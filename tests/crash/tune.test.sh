#!/usr/bin/env bash
# cotree tune: functions are turned off and on in a built program, which computes the same; cores of all
# variants are told rightly; damaged files are refused.
set -eu
. "$COTREE_TOP/tests/crash/lib.sh"
[ "$(cat /proc/sys/kernel/core_pattern)" = core ] ||
    { echo "skipped: cores are not written beside the program"; exit 77; }
ulimit -c unlimited
cat >prog.cpp <<'C'
#include <stdio.h>
#include <stdlib.h>
extern "C" int of_library(int n);
volatile int last;
namespace parse {
__attribute__((noinline)) int one(int n)
{
    int s = n & 4 ? 3 : rand() & 0;
    if (n & 1)
        s++;
    if (n == last)
        abort();
    return s + rand() % 1;
}
__attribute__((noinline)) static int all(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        if (i % 3 == 1)
            s += rand() & 0;
        s += one(i);
    }
    return s;
}
}
template <typename T> __attribute__((noinline)) T hash_it(T n)
{
    T h = 1;
    for (T i = 0; i < n; i++) {
        if (i & 2)
            h += last;
        if (h & 1)
            h += parse::all(i) + i;
        else
            h /= 2;
        if (i & 8)
            putchar('a' + h % 26);
    }
    return h;
}
int main(int argc, char **argv)
{
    last = argc > 1 ? atoi(argv[1]) : -1;
    printf("%d %d\n", hash_it(30), of_library(12));
}
C
cat >library.c <<'C'
#include <stdlib.h>
int of_library(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        if (i & 1)
            s += 3;
        s += rand() & 1;
    }
    return s;
}
C
# candidates PROG FUNCTION: of its innermost frame, when PROG dies.
candidates() {
    rm -f core
    { ./"$1" 14 || :; } >/dev/null 2>&1
    "$cotree" crash --format=json --no-demangle ./"$1" core >json || fail "cotree crash $1: $?"
    jq --arg name "$2" '[.threads[0].frames[] | select(.linkage_name == $name)][0].candidates' json
}
one=_ZN5parse3oneEi all=_ZN5parseL3allEi hash=_Z7hash_itIiET_S0_
build() { # OPTION...
    "$cotree" cc -w -fcotree=crash -fcotree-crash=tunable "$@" -c library.c -o library.o
    "$cotree" c++ -fcotree=crash -fcotree-crash=tunable "$@" prog.cpp library.o -o prog
}
for options in "-O2" "-O0" "-O2 -static" "-O1 -no-pie" "-O2 -flto" "-O2 -fcf-protection=full" \
    "-O2 -ffunction-sections -Wl,--gc-sections" "-O2 -ffunction-sections -Wl,--gc-sections -fuse-ld=lld"; do
    # shellcheck disable=SC2086
    build $options
    [ "$options" != "-O2 -static" ] || strip prog
    ./prog >expected
    [ "$(candidates prog $one) $(candidates prog $all)" = "1 1" ] || fail "$options: $(jq -c . json)"
    "$cotree" tune ./prog --off='*' --on='hash_*' -o tuned || fail "$options: $?"
    ./tuned >output
    cmp -s expected output || fail "$options: the tuned program prints $(cat output)"
    [ "$(candidates tuned $one)" -gt 1 ] && [ "$(candidates tuned $all)" -gt 1 ] &&
        [ "$(candidates tuned $hash)" = 1 ] || fail "$options: off: $(jq -c . json)"
    "$cotree" tune ./tuned --from-crash=core -o more
    ./more >output && cmp -s expected output || fail "$options: what was turned on again prints $(cat output)"
    [ "$(candidates more $one) $(candidates more $all)" = "1 1" ] || fail "$options: on: $(jq -c . json)"
    "$cotree" tune ./tuned --list --no-demangle | sort >list
    grep -qx "off $one" list && grep -qx "on  $hash" list || fail "$options: $(cat list)"
    "$cotree" tune ./tuned --on='*' -o back
    cmp prog back || fail "$options: all on is not what it was"
    [ -x tuned ] || fail "$options: it cannot be run"
done
# A shared library is tuned by itself, and may be replaced while it is used.
"$cotree" cc -fcotree=crash -fcotree-crash=tunable -O2 -shared -fPIC library.c -o liblibrary.so
"$cotree" c++ -fcotree=crash -fcotree-crash=tunable -O2 prog.cpp -L. -llibrary -Wl,-rpath,"$PWD" -o prog
./prog >expected
"$cotree" tune liblibrary.so --off=of_library -o liblibrary.so
"$cotree" tune liblibrary.so --list >list
./prog >output
[ "$(cat list)" = "off of_library" ] && cmp -s expected output || fail "a library: $(cat list)"
# Where functions were off, bytes that are not set prove nothing.
build -O2 -fcotree-crash=functions
candidates prog $one >/dev/null
jq -e '.never_ran == ["of_library"] and .problems == []' json >/dev/null || fail "all on: $(jq -c . json)"
"$cotree" tune ./prog --off=one -o tuned
candidates tuned $one >/dev/null 2>said || :
jq -e '.never_ran == null and (.problems | length) == 1' json >/dev/null || fail "off: $(jq -c . json)"
"$cotree" crash --format=json ./prog core 2>/dev/null | jq -e '.never_ran == null' >/dev/null ||
    fail "bytes of a core are believed by the file that was not tuned"
# refused WORD...: one line, status 1, and no file.
refused() {
    local status=0
    rm -f new
    "$cotree" tune "$@" -o new 2>said || status=$?
    [ "$status" = 1 ] && [ "$(wc -l <said)" = 1 ] && [ ! -e new ] || fail "$*: $status, $(cat said)"
}
refused prog --off=nobody
refused prog.cpp --off='*'
refused missing --off='*'
"$cotree" cc -fcotree=crash -O2 -x c - -o fixed <<<'int main(void) { return 0; }'
refused fixed --off='*'
grep -q -- '-fcotree-crash=tunable' said || fail "without tunable functions: $(cat said)"
# A full disk is named.
for words in '--list' "--off=one -o /dev/full"; do
    status=0
    # shellcheck disable=SC2086 # the words are several
    "$cotree" tune ./prog $words >/dev/full 2>said || status=$?
    [ "$status" = 1 ] && grep -q "cannot write \('/dev/full'\|standard output\): " said ||
        fail "$words to a full disk: $status, $(cat said)"
done
for length in 100 2000 "$(($(stat -c %s tuned) - 100))"; do
    head -c "$length" tuned >cut
    refused cut --off='*'
done
# Code that is not what the records say, and records that are not what they were.
entry=$(nm tuned | awk '$3 == "_ZN5parse3oneEi" { print $1 }')
cp tuned damaged && printf '\x90' | dd of=damaged bs=1 seek=$((0x$entry)) conv=notrunc 2>/dev/null
refused damaged --on='*'
at=$(readelf -SW tuned | awk '$2 == ".cotree.tune" { print $5 } $3 == ".cotree.tune" { print $6 }')
for byte in $(seq 0 4 140); do
    cp tuned damaged && printf '\xff' | dd of=damaged bs=1 seek=$((0x$at + byte)) conv=notrunc 2>/dev/null
    for words in '--on=*' '--off=*'; do
        status=0
        "$cotree" tune ./damaged "$words" -o new 2>said || status=$?
        [ "$status" -le 1 ] && [ "$(wc -l <said)" = "$status" ] || fail "byte $byte: $status, $(cat said)"
        [ "$status" = 1 ] || ./new | cmp -s - expected || fail "byte $byte: the program prints something else"
    done
done
for words in "" "--off=main" "--off= -o new" "-o new" "--off=main -o new more"; do
    status=0
    # shellcheck disable=SC2086
    "$cotree" tune prog $words >/dev/null 2>said || status=$?
    [ "$status" = 64 ] && [ "$(wc -l <said)" = 1 ] || fail "tune $words: $status, $(cat said)"
done
status=0
"$cotree" cc -fcotree=edges,crash -fcotree-crash=tunable prog.cpp -c 2>said || status=$?
[ "$status" = 64 ] || [ "$status" = 1 ] || fail "together with counters: $status, $(cat said)"
# What is told is what the programs did, whatever is off.
prepare_judge
for TUNED in "--off=*" "--off=m*" "--off=* --on=*"; do
    for source in frames.c inlined_three_times.c irreducible.c; do
        judge_program "$here/programs/$source" "${STEP:-901}" -O2 -fcotree-crash=tunable \
            -fcotree-crash=history:2
        echo "$source $TUNED: $compared frames so far, $unique unique"
    done
done
