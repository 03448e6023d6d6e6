#!/usr/bin/env bash
# Cores of all kinds are read: PIE or not, static, stripped, with libraries, threads and handlers, cut
# short, with little memory in them, made by gdb; and what cannot be told is said in one line.
set -eu
. "$COTREE_TOP/tests/crash/lib.sh"
[ "$(cat /proc/sys/kernel/core_pattern)" = core ] ||
    { echo "skipped: cores are not written beside the program"; exit 77; }
ulimit -c unlimited
cat >lib.c <<'END'
#include <stdlib.h>
int in_library(int x)
{
    int r = 1;
    if (x & 1)
        r = 2;
    if (x & 4)
        abort();
    return r;
}
END
cat >a.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int in_library(int x);
volatile int zero, sink;
__attribute__((noinline)) static int die(int how, int x)
{
    int r = 3;
    if (x & 1)
        r++;
    if (how == 1)
        return in_library(x | 4) + r;
    if (how == 2)
        sink = *(int *)(long)zero;
    if (how == 3)
        raise(SIGUSR1);
    if (how == 4)
        pause();
    abort();
    return r;
}
static void handler(int n)
{
    if (n == SIGUSR1)
        abort();
}
__attribute__((noinline)) static int work(int how, int n)
{
    int s = 0;
    if (n & 2)
        s = 1;
    for (int i = 0; i < n; i++) {
        if (i & 1)
            s += 2;
        if (i == n - 1)
            s += die(how, i);
    }
    return s;
}
static void *thread(void *how) { return (void *)(long)work(*(int *)how, 6); }
int main(int argc, char **argv)
{
    int how = argc > 1 ? atoi(argv[1]) : 0;
    signal(SIGUSR1, handler);
    if (argc > 2) {
        pthread_t t;
        pthread_create(&t, NULL, thread, &how);
        pthread_join(t, NULL);
    }
    return work(how, 6);
}
END
# The history of work: line 33 ran (6 & 2), in the last round line 36 (5 is odd).
expect() { # PROG NAME [OPTION...]
    local prog=$1 name=$2
    shift 2
    "$cotree" crash --format=json "$prog" core "$@" >json || fail "$name: cotree crash: $?"
    jq -e '[.threads[].frames[] | select(.function == "work")][0] | .unique and .line == 38 and
        ([.history[0].lines[].line] | index(33)) and .history[1].kind == "last round" and
        ([.history[1].lines[].line] | index(36))' json >/dev/null ||
            fail "$name: $(jq -c '[.threads[].frames[] | {function, line, why, history}]' json)"
}
die() { rm -f core; { "$@" || :; } 2>/dev/null; [ -e core ] || fail "$*: no core"; }
for options in "-O2" "-O0 -no-pie" "-O2 -static" "-O1 -g -fno-omit-frame-pointer"; do
    # shellcheck disable=SC2086
    "$cotree" cc -fcotree=crash $options a.c lib.c -pthread -o prog
    for how in 0 1 2 3; do die ./prog $how; expect ./prog "$options $how"; done
    die ./prog 0 thread
    expect ./prog "$options in a thread"
    strip prog -o stripped
    expect ./stripped "$options stripped"
done
# A library, and one file for its maps.
"$cotree" cc -fcotree=crash -O2 -fPIC -shared lib.c -o libin.so
"$cotree" cc -fcotree=crash -O2 a.c -L. -lin -Wl,-rpath,"$PWD" -pthread -o prog
die ./prog 1
expect ./prog "with a library"
jq -e '[.threads[0].frames[] | select(.function == "in_library")][0] | .unique and
    ([.history[0].lines[].line] | index(6))' json >/dev/null || fail "the library's frame"
cp prog whole && llvm-strip-19 prog -o bare && expect ./bare "maps elsewhere" --debug-path=whole
"$cotree" crash --format=json ./bare core 2>said >json
grep -q 'was not compiled with -fcotree=crash, or was stripped' said ||
    fail "nothing is said of a stripped program: $(cat said)"
# The library of another machine: here is another build, or none; it is below a directory.
mkdir -p "away$PWD" && mv libin.so "away$PWD/"
"$cotree" crash ./prog core 2>said >text && grep -q 'libin.so' said ||
    fail "nothing is said of a missing library: $(cat said)"
"$cotree" cc -fcotree=crash -O0 -fPIC -shared lib.c -o libin.so
"$cotree" crash ./prog core 2>said >text && grep -q 'libin.so. is another build' said ||
    fail "another build of the library: $(cat said)"
ldd ./prog | grep -o '/[^ ]*' | xargs realpath | grep -v libin | while read -r lib; do
    mkdir -p "away$(dirname "$lib")" && cp "$lib" "away$lib"
done
expect ./prog "with a sysroot" --sysroot=away 2>said
jq -e '[.threads[0].frames[] | select(.function == "in_library")][0] | .unique' json >/dev/null ||
    fail "the frame of the library below the sysroot"
cp "away$PWD/libin.so" .
# Less memory in the core, and a core that is cut.
for filter in 0x01 0x7f 0x33; do
    rm -f core
    (echo $filter >/proc/self/coredump_filter; ./prog 0 || :) 2>/dev/null
    expect ./prog "filter $filter" 2>said
done
head -c $(($(stat -c %s core) / 2)) core >half && mv half core
"$cotree" crash ./prog core >text 2>said || fail "a core that is cut: $?"
grep -q 'cut short' said || fail "nothing is said of a core that is cut"
# Another build, no core, no program.
die ./prog 0
"$cotree" cc -fcotree=crash -O1 -DOTHER a.c lib.c -pthread -o other
! "$cotree" crash ./other core >text 2>said || fail "another build is taken"
grep -q 'is another build' said && [ "$(wc -l <said)" = 1 ] || fail "another build: $(cat said)"
for words in "./prog a.c" "./prog missing" "a.c core" "./prog /dev/null"; do
    # shellcheck disable=SC2086
    ! "$cotree" crash $words >text 2>said || fail "$words is accepted"
    [ "$(wc -l <said)" = 1 ] || fail "$words: $(cat said)"
done
# gdb's cores of living processes, and gdb's numbers of frames.
./prog 4 & pid=$!
sleep 0.5
gdb -p $pid -batch -ex 'generate-core-file core' >gdb.log 2>&1 || fail "gdb: $(tail -3 gdb.log)"
kill -9 $pid; wait $pid 2>/dev/null || :
expect ./prog gcore
"$cotree" cc -fcotree=crash -O2 -g a.c lib.c -pthread -o prog
die ./prog 1
# (Where debug information tells of tail calls gdb makes frames of them: not here, without that of libc.)
gdb -batch -iex 'set debug-file-directory /none' -ex bt ./prog core 2>/dev/null |
    sed -n 's/^#\([0-9]*\) .*\(in_library\|die\|work\|main\) (.*/\1 \2/p' >by_gdb
"$cotree" crash ./prog core |
    sed -n 's/^#\([0-9]*\) .*\<\(in_library\|die\|work\|main\)\( at .*\|\)$/\1 \2/p' >by_us
cmp by_gdb by_us || fail "gdb numbers frames otherwise: $(diff by_gdb by_us)"
"$cotree" crash --frame=3 ./prog core | grep -c '^#' | grep -qx 1 || fail "--frame"
# gdb's command tells the same of a frame.
COTREE_COMMAND=$cotree gdb -batch -nx -iex 'set debug-file-directory /none' -ex "source $COTREE_TOP/tools/cotree.gdb" \
    -ex 'frame function work' -ex cotree-history ./prog core 2>/dev/null | sed -n '/^thread/,$p' >by_gdb
number=$(sed -n 's/^#\([0-9]*\) .*in work at.*/\1/p' by_gdb)
"$cotree" crash --frame="$number" ./prog core | sed -n '/^thread/,$p' >by_us
grep -q 'last round: ' by_gdb && cmp by_gdb by_us || fail "cotree-history: $(cat by_gdb)"
gdb -batch -nx -ex "source $COTREE_TOP/tools/cotree.gdb" -ex cotree-history 2>&1 |
    grep -q 'a program and its core are needed' || fail "cotree-history without a core"
