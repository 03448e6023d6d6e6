#!/usr/bin/env bash
# cotree run --abort-at-output: the program aborts in the call that wrote the first wrong byte, however it
# writes; a program whose output is right runs as it does without.
set -eu
. "$COTREE_TOP/tests/crash/lib.sh"
[ "$(cat /proc/sys/kernel/core_pattern)" = core ] ||
    { echo "skipped: cores are not written beside the program"; exit 77; }
mkdir tmp && export TMPDIR=$PWD/tmp
cat >w.cpp <<'END2'
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>
// Writes "line N\n" for N from 0 to 9, a wrong one at WRONG.
int wrong = 99;
char text[32];
const char *line(int n)
{
    snprintf(text, sizeof text, "line %d\n", n == wrong ? 70 + n : n);
    return text;
}
__attribute__((noinline)) void by_printf(int n) { printf("%s", line(n)); }
__attribute__((noinline)) void by_puts(int n) { strtok((char *)line(n), "\n"); puts(text); }
__attribute__((noinline)) void by_putchar(int n) { for (const char *at = line(n); *at; at++) putchar(*at); }
__attribute__((noinline)) void by_wide(int n) { wprintf(L"%s", line(n)); }
__attribute__((noinline)) void by_cout(int n) { std::cout << line(n); }
__attribute__((noinline)) void by_write(int n) { (void)!write(1, line(n), strlen(text)); }
__attribute__((noinline)) void by_writev(int n)
{
    iovec v[2] = {{text, 5}, {text + 5, strlen(line(n)) - 5}};
    (void)!writev(1, v, 2);
}
__attribute__((noinline)) void by_sendfile(int n)
{
    FILE *f = tmpfile();
    fputs(line(n), f);
    rewind(f);
    (void)!sendfile(1, fileno(f), nullptr, 100);
    fclose(f);
}
__attribute__((noinline)) void by_dup(int n)
{
    static int to = fcntl(dup(1), F_DUPFD, 20);
    (void)!write(to, line(n), strlen(text));
}
__attribute__((noinline)) void by_dprintf(int n) { dprintf(1, "%s", line(n)); }
__attribute__((noinline)) void by_child(int n)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        (void)!write(1, line(n), strlen(text));
        _exit(0);
    }
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status))
        _exit(128 + WTERMSIG(status));
}
__attribute__((noinline)) void by_program(int n)
{
    char command[64];
    strtok((char *)line(n), "\n");
    snprintf(command, sizeof command, "echo elsewhere >elsewhere; echo %s", text);
    if (system(command))
        _exit(134);
}
// What is no standard output is not compared.
__attribute__((noinline)) void elsewhere(int n)
{
    static FILE *f = fopen("/dev/null", "w");
    fprintf(stderr, "noise %d\n", n);
    fprintf(f, "noise\n");
    fflush(f);
    int to = dup2(fileno(f), 21);
    (void)!write(to, "noise", 5);
}
int main(int argc, char **argv)
{
    static const struct { const char *name; void (*function)(int); } ways[] = {
        {"printf", by_printf}, {"puts", by_puts}, {"putchar", by_putchar}, {"wide", by_wide},
        {"cout", by_cout}, {"write", by_write},
        {"writev", by_writev}, {"sendfile", by_sendfile}, {"dup", by_dup}, {"dprintf", by_dprintf},
        {"child", by_child}, {"program", by_program}};
    const char *mode = argc > 3 ? argv[3] : "";
    if (argc > 2)
        wrong = atoi(argv[2]);
    if (!strcmp(mode, "buffered"))
        setvbuf(stdout, nullptr, _IOFBF, 4096);
    for (int n = 0; n < 10; n++) {
        if (!strcmp(mode, "noise"))
            elsewhere(n);
        for (auto &way : ways)
            if (!strcmp(way.name, argv[1]))
                way.function(n);
    }
    if (!strcmp(mode, "reopened")) {
        freopen("reopened", "w", stdout);
        puts("this is a file");
    }
    if (!strcmp(mode, "closed")) {
        fclose(stdout);
        int fd = open("reopened", O_WRONLY | O_CREAT, 0600);
        (void)!write(fd, "this is a file", 14);
    }
    return 3;
}
END2
for n in 0 1 2 3 4 5 6 7 8 9; do echo "line $n"; done >expected
# run PROG WORD...: sets status; what it printed is in out.
run() { rm -f core; status=0; "$cotree" run --abort-at-output=expected -- "$@" >out 2>said || status=$?; }
# differs NAME BYTE LINE: the program ended so.
differs() {
    [ "$status" = 134 ] || fail "$1: status $status, $(cat said)"
    grep -qx "cotree run: byte $2 of the output (line $3) is '7', where '[0-9]' was expected (.expected.)" \
        said ||
        fail "$1: $(cat said)"
}
ways="printf puts putchar wide cout write writev sendfile dup dprintf child program"
try() { # PROG: all ways, right and wrong
    local prog=$1 way n
    for way in $ways; do
        run "$prog" "$way" 99
        [ "$status" = 3 ] && [ ! -s said ] && cmp -s out expected ||
            fail "$prog $way: right output, status $status: $(cat said)"
        [ ! -e core ] || fail "$prog $way: right output, and a core"
        for n in 0 6; do
            run "$prog" "$way" $n
            # The wrong byte stands after "line " of line n; sh's echo is another program.
            differs "$prog $way $n" $((7 * n + 6)) $((n + 1))
            cmp -s <(head -c $((7 * n + 5)) out) <(head -c $((7 * n + 5)) expected) ||
                fail "$prog $way: what was printed: $(cat out)"
            [ $way != program ] || continue
            [ -s core ] || fail "$prog $way $n: no core"
            "$cotree" crash --format=json "$prog" core >json 2>crash.said ||
                fail "$prog $way: cotree crash: $(cat crash.said)"
            jq -e --arg name "by_$way(int)" '[.threads[0].frames[] | select(.key)] |
                .[0].function == $name and .[1].function == "main" and .[1].unique' json >/dev/null ||
                fail "$prog $way $n: $(jq -c '.cause, [.threads[0].frames[] | {function, key, unique}]' json)"
        done
    done
}
"$cotree" c++ -fcotree=crash -O2 -fno-optimize-sibling-calls -w w.cpp -o prog
try ./prog
run ./prog printf 6
"$cotree" crash ./prog core | sed -n 1p >cause
grep -qx "SIGABRT: byte 48 of the output (line 7) is '7', where '6' was expected" cause ||
    fail "the cause: $(cat cause)"
# Counters beside crash histories: their runtime stands in front of abort, too.
"$cotree" c++ -fcotree=edges,crash -O1 -w w.cpp -o both
run ./both cout 6
differs both 48 7
# Noise elsewhere; a buffer; other files of the same number.
run ./prog printf 99 noise
[ "$status" = 3 ] && [ "$(grep -c '^noise' said)" = 10 ] && ! grep -q cotree said || fail "noise: $(cat said)"
run ./prog write 6 noise
[ "$status" = 134 ] && grep -q '^cotree run: byte 48 ' said || fail "noise before a wrong byte: $(cat said)"
for mode in reopened closed; do
    run ./prog printf 99 $mode
    [ "$status" = 3 ] && [ ! -s said ] || fail "$mode: status $status: $(cat said)"
    grep -q '^this is a file' reopened || fail "$mode"
done
run ./prog printf 6 buffered
differs "a buffer of the program's" 48 7
[ "$(wc -c <out)" = 50 ] || fail "a buffer of the program's was used"
rm -f core
status=0
"$cotree" run --abort-at-output=expected --keep-buffering -- ./prog printf 6 >out 2>said || status=$?
differs --keep-buffering 48 7
[ "$(wc -c <out)" = 71 ] || fail "--keep-buffering: $(wc -c <out) bytes were written"
# Too much, too little, nothing.
head -c 70 expected >whole && head -c 20 whole >expected
run ./prog write 99
[ "$status" = 134 ] &&
    grep -q "^cotree run: byte 21 of the output (line 3) is a newline, where the end was expected" said ||
    fail "too much: $(cat said)"
cat whole whole >expected
run ./prog write 99
[ "$status" = 3 ] && grep -qx "cotree run: the output ends after 70 bytes, 'expected' has 140" said ||
    fail "too little: $(cat said)"
: >expected
run true
[ "$status" = 0 ] && [ ! -s said ] || fail "nothing: $(cat said)"
cp whole expected
# Programs of all kinds: a script, one that was not compiled by cotree, by its name in PATH.
printf '#!/bin/sh\ncat whole\n' >script && chmod +x script
run ./script
[ "$status" = 0 ] && [ ! -s said ] || fail "a script: $(cat said)"
run head -c 30 whole
[ "$status" = 0 ] && grep -q 'ends after 30 bytes' said || fail "head: $(cat said)"
run rev whole
[ "$status" = 134 ] && grep -q "byte 1 of the output (line 1) is '0'" said || fail "rev: $(cat said)"
# Static programs, with and without what is linked for it.
for options in -static -static-pie; do
    "$cotree" c++ -fcotree=crash -O2 -w $options w.cpp -o static
    run ./static write 6
    [ "$status" = 125 ] && [ ! -s out ] &&
        grep -qx "cotree run: './static' is linked statically: link it with -fcotree-crash=output" said ||
        fail "static: $status, $(cat said)"
    "$cotree" c++ -fcotree=crash -fcotree-crash=output -O2 -w $options w.cpp -o static
    for way in $ways; do
        [ $way != program ] || continue # sh is not linked so
        run ./static "$way" 6
        differs "$options $way" 48 7
        [ -s core ] || fail "static $way: no core"
    done
    ./static write 6 >out || [ $? = 3 ] || fail "static alone"
    [ "$(wc -l <out)" = 10 ] || fail "static alone printed $(cat out)"
    strip static
    run ./static cout 99
    [ "$status" = 3 ] && [ ! -s said ] || fail "$options, stripped: $(cat said)"
done
"$cotree" c++ -fcotree=crash,edges -fcotree-crash=output -O2 -w -static w.cpp -o static
run ./static cout 6
differs "static with counters" 48 7
# Signals of the program's own, and words that are refused.
printf '#!/bin/sh\nkill -TERM $$\n' >script
run ./script
[ "$status" = 143 ] || fail "a signal: $status"
refused() { # STATUS TEXT WORD...
    local wanted=$1 text=$2
    shift 2
    status=0
    "$cotree" run "$@" >out 2>said || status=$?
    [ "$status" = "$wanted" ] && [ "$(grep -c '^cotree run: ' said)" = 1 ] && grep -q "$text" said ||
        fail "$*: $status, $(cat said)"
}
refused 125 "cannot read 'missing'" --abort-at-output=missing -- ./prog write
refused 125 "cannot run './missing'" --abort-at-output=expected -- ./missing
refused 125 "cannot run './w.cpp'" --abort-at-output=expected -- ./w.cpp
refused 64 'goes without -o' --abort-at-output=expected -o x -- ./prog
refused 64 'goes with --abort-at-output' --keep-buffering -o x -- ./prog
[ -z "$(ls tmp)" ] || fail "files were left: $(ls tmp)"
