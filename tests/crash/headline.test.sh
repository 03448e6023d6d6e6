#!/usr/bin/env bash
# What comes first: the signal and what it means, what the program said, the line that failed. And the
# newest core is found, wherever the kernel writes cores.
set -eu
. "$COTREE_TOP/tests/crash/lib.sh"
[ "$(cat /proc/sys/kernel/core_pattern)" = core ] ||
    { echo "skipped: cores are not written beside the program"; exit 77; }
ulimit -c unlimited
cat >h.cpp <<'END'
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <signal.h>
#include <stdexcept>
#include <string>
#include <unistd.h>
struct no_milk : std::runtime_error { no_milk(const std::string &s) : std::runtime_error(s) {} };
volatile long zero;
void (*volatile function)();
void *volatile block;
__attribute__((noinline)) int deep(int n)
{
    volatile char a[100];
    a[n & 63] = n;
    return n == -1 ? 0 : deep(n + 1) + a[n & 63];
}
__attribute__((noinline)) int call(int n)
{
    int r = 0;
    if (n & 1)
        r = 2;
    function();
    return r + 1;
}
void *thread(void *n) { return (void *)(long)call(*(int *)n); }
int main(int argc, char **argv)
{
    pthread_t t;
    switch (atoi(argv[1])) {
    case 0: return *(int *)(zero + 16);
    case 1: return call(argc);
    case 2: return deep(0);
    case 3: assert(argc == 17); break;
    case 4: throw no_milk("no more\tmilk");
    case 5: throw 5;
    case 6: block = malloc(10); free(block); free(block); break;
    case 7: return *(int *)(zero + 0x1234567812345678);
    case 8: return 5 / zero;
    case 9: __builtin_trap();
    case 10: function = (void (*)())0x123456; return call(argc);
    case 11: kill(getpid(), SIGABRT); pause();
    case 12: function = [] { pause(); };
        for (int i = 0; i < 3; i++)
            pthread_create(&t, nullptr, thread, &argc);
        abort();
    }
}
END
die() { rm -f core; { ./prog "$1" || :; } 2>/dev/null; [ -e core ] || fail "$*: no core"; }
# expect NUMBER LINE MEANING: of what is printed; `why` says that frames around it are there.
expect() {
    die "$1"
    "$cotree" crash ./prog core >text || fail "$1: status $?"
    sed -n 1p text | grep -q "$3" || fail "$level $1: not '$3': $(head -3 text)"
    sed -n 2p text | grep -q "^in .*h.cpp:[0-9]*\$" || fail "$level $1: not at line $2: $(head -3 text)"
    line=$(sed -n '2s/.*://p' text)
    [ "$line" -ge "${2%-*}" ] && [ "$line" -le "${2#*-}" ] ||
        fail "$level $1: not at line $2: $(head -3 text)"
    sed -n 3p text | cmp -s - <(sed -n "${line}p" h.cpp | sed "s/^/$(printf '%6d | ' "$line")/") ||
        fail "$level $1: $(head -3 text)"
    grep -q '^#.* main' text || [ "$1" = 2 ] || fail "$level $1: main is not on the stack: $(cat text)"
}
for options in -O0 -O2 "-O2 -static"; do
    level=$options
    # shellcheck disable=SC2086
    "$cotree" c++ -w -fcotree=crash -fno-optimize-sibling-calls $options h.cpp -pthread -o prog
    expect 0 32 '^SIGSEGV: a null pointer was dereferenced (address 0x10)$'
    expect 1 24 '^SIGSEGV: a null function pointer was called (address 0)$'
    expect 2 13-17 '^SIGSEGV: the stack overflowed (address 0x'
    expect 3 35 "^SIGABRT: .*h.cpp:35: .*Assertion .argc == 17. failed\\.\$"
    expect 4 36 '^SIGABRT: nobody caught an exception of type no_milk: no more milk$'
    expect 5 37 '^SIGABRT: nobody caught an exception of type int$'
    expect 6 38 '^SIGABRT: free(): double free detected in tcache 2$'
    expect 7 39 '^SIGSEGV: .*not canonical'
    expect 8 40 '^SIGFPE: division by zero at 0x'
    expect 9 41 '^SIGILL: the program trapped'
    expect 10 24 '^SIGSEGV: control went where there is no code (address 0x123456)$'
    expect 11 43 '^SIGABRT: sent by process [0-9]*$'
done
# Frames far from the top of a deep stack.
die 2
"$cotree" crash --format=json ./prog core >json
jq -e '(.threads[0].frames | length) > 10000 and .meaning[0:22] == "the stack overflowed (" and
    ([.threads[0].frames[1:5000][] | select(.function != "deep(int)" or (.unique | not))] | length) == 0 and
    any(.threads[0].frames[-6:][]; .function == "main")' json >/dev/null || fail "a deep stack: $(jq -c '.meaning, .threads[0].frames[0:2], .threads[0].frames[-4:]' json)"
"$cotree" crash ./prog core >text
[ "$(grep -c '^#' text)" = 40 ] && grep -q '^#[0-9]* .* in main at' text ||
    fail "a deep stack is not folded: $(wc -l <text)"
number=$(sed -n 's/^#\([0-9]*\) .* in main at.*/\1/p' text)
[ "$(jq '[.threads[0].frames[].function] | index("main")' json)" = "$number" ] ||
    fail "the number of main is not $number"
"$cotree" crash --frame="$number" ./prog core | grep -q "^#$number .* in main at" || fail "--frame=$number"
# Threads and frames of one's choice.
die 12
"$cotree" crash --all ./prog core >text
[ "$(grep -c '^thread [1-4] ([0-9]*)' text)" = 4 ] || fail "--all: $(grep thread text)"
"$cotree" crash --thread=3 ./prog core | grep '^thread' | cut -d' ' -f1,2 | cmp -s - <(echo thread 3) ||
    fail "--thread=3"
id=$(sed -n 's/^thread 2 (\([0-9]*\)).*/\1/p' text)
"$cotree" crash --thread="$id" ./prog core | grep -q "^thread 2 ($id)" || fail "--thread=ID"
# What is not there is said, and nothing is shown.
absent() { # PATTERN OPTION...
    ! "$cotree" crash "${@:2}" ./prog core >text 2>said && [ ! -s text ] && grep -q -- "$1" said ||
        fail "${*:2}: $(cat said text)"
}
absent 'there is no thread 9$' --thread=9
absent 'there is no frame #99, of [0-9]*$' --frame=99
absent '--frame is a number from 0 on' --frame=x
absent 'are for --format=text' --frame=1 --format=json
absent 'No such file' --debug-path=nowhere
# The source with what ran: the other cases did not.
die 4
"$cotree" crash --source --color=never ./prog core >text
for line in '> *36 | ' '- *35 | ' '- *41 | ' '+ *31 | '; do
    grep -q "^      $line" text || fail "--source: no line '$line': $(cat text)"
done
"$cotree" crash --source --color=always ./prog core | grep -q $'\033\\[2m- *35 ' || fail "--color"
# The sources lie somewhere else now.
path=$(sed -n 's/^in .* at \(.*h\.cpp\):[0-9]*$/\1/p' text)
mkdir -p moved && mv h.cpp moved
"$cotree" crash --source --color=never --source-map="$path=$PWD/moved/h.cpp" ./prog core >mapped
"$cotree" crash --format=html --source-map="$path=$PWD/moved/h.cpp" ./prog core -o mapped.html
"$cotree" crash --format=html ./prog core -o unmapped.html
mv moved/h.cpp . && sed "s|at $path:|at $PWD/moved/h.cpp:|" text | cmp - mapped || fail "--source-map: $path"
[ "$(wc -c <mapped.html)" -gt "$(wc -c <unmapped.html)" ] || fail "--source-map: no source in the page"
# The newest core.
die 0 && mv core core.1 && die 5
"$cotree" crash ./prog 2>said | head -1 | grep -q 'type int' ||
    fail "the newest core is not taken: $(cat said)"
rm core && "$cotree" crash ./prog 2>said | head -1 | grep -q '0x10' || fail "core.1 is not found: $(cat said)"
cp h.cpp core && mv core.1 old
! "$cotree" crash ./prog 2>said >text || fail "a text is taken for a core"
grep -q "there is no core of './prog'" said && [ "$(wc -l <said)" = 1 ] || fail "no core: $(cat said)"
rm core
# Another pattern of the kernel's, and systemd: played by a stub.
if unshare -m mount --bind h.cpp /proc/sys/kernel/core_pattern 2>/dev/null; then
    mkdir -p 'cores [1]' bin
    cp old 'cores [1]/core-prog.77-x'
    echo "$PWD/cores [1]/core-%e.%p-%h" >pattern
    unshare -m bash -c 'mount --bind pattern /proc/sys/kernel/core_pattern && exec "$0" crash ./prog' "$cotree" 2>said |
        head -1 | grep -q '0x10' || fail "a pattern with names: $(cat said)"
    echo "|/lib/systemd/systemd-coredump %P %u" >pattern
    printf '%s\n' '#!/bin/sh' 'while [ $# -gt 1 ]; do [ "$1" = --output ] && to=$2; shift; done' \
        "echo \"\$1\" >>'$PWD/asked'" "cp '$PWD/old' \"\$to\"" >bin/coredumpctl
    chmod +x bin/coredumpctl
    PATH=$PWD/bin:$PATH unshare -m bash -c 'mount --bind pattern /proc/sys/kernel/core_pattern && exec "$0" crash ./prog' "$cotree" 2>said |
        head -1 | grep -q '0x10' || fail "coredumpctl: $(cat said)"
    [ "$(cat asked)" = "$PWD/prog" ] || fail "coredumpctl was asked for $(cat asked)"
    ! ls /tmp/cotree-core-* 2>/dev/null || fail "a core was left"
else
    echo "skipped: core_pattern cannot be changed here"
fi
