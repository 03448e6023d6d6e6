#!/usr/bin/env bash
# -fcotree=crash alone adds no runtime: the same symbols, libraries, system calls and signal handlers
# as the plain program, no file, and nothing is read from the environment.
set -eu
. "$COTREE_TOP/tests/crash/lib.sh"
cat >a.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <string.h>
static int odd(int x) { return x & 1 ? puts("odd") : puts("even"); }
int main(int argc, char **argv)
{
    char line[256];
    FILE *status = fopen("/proc/self/status", "r");
    for (int i = 0; i < argc + 2; i++)
        odd(i);
    while (fgets(line, sizeof line, status))
        if ((!strncmp(line, "Sig", 3) && line[3] != 'Q') || !strncmp(line, "Threads", 7))
            fputs(line, stdout);
    return argv == 0;
}
END
sed 's/#include <stdio.h>/#include <cstdio>/' a.c >a.cpp
cat >>a.cpp <<'END'
struct thrower { ~thrower() { puts("left"); } };
int thrown(int x) { thrower t; try { if (x) throw x; } catch (long) { return 1; } return 2; }
int use_thrown = [] { try { return thrown(1); } catch (int) { return 3; } }();
END
for how in "cc a.c" "c++ a.cpp" "cc a.c -static" "cc a.c -no-pie -O0"; do
    # shellcheck disable=SC2086
    set -- $how
    driver=$1 source=$2
    shift 2
    compiler=clang-19
    [ "$driver" = cc ] || compiler=clang++-19
    $compiler -O2 "$@" -w "$source" -o plain
    "$cotree" "$driver" -fcotree=crash -O2 "$@" -w "$source" -o shipped
    for program in plain shipped; do
        nm "$program" | awk '{ print $NF }' | sort -u >$program.symbols
        readelf -dW "$program" | grep NEEDED >$program.needed || :
        (mkdir -p run && cd run && ../$program >../$program.out)
        [ -z "$(ls run)" ] || fail "$how: $program leaves $(ls run)"
        strace -f "./$program" 2>&1 >/dev/null | sed 's/(.*//; s/0x[0-9a-f]*//g' >$program.calls
    done
    for what in symbols needed out calls; do
        cmp -s plain.$what shipped.$what ||
            fail "$how: $what differ: $(diff plain.$what shipped.$what | head -5)"
    done
    readelf -SW shipped | grep -q cotree.slots || fail "$how: there is no table of slots"
    ! readelf -SW shipped | grep 'cotree' | grep -q ' A ' || fail "$how: a section of ours is loaded"
done
