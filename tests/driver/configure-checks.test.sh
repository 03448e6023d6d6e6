#!/usr/bin/env bash
# `CC="cotree cc" ./configure && make` works: checks are compiled plainly and leave no files, the
# program itself counts.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
write_sources
# What autoconf generates, in short: compile, link and run checks on conftest.c in the build directory.
cat >configure <<'END'
#!/bin/sh
# usage: CC=... ./configure
set -e
check() { printf 'checking %s... ' "$1"; shift; if "$@" >>config.log 2>&1; then echo yes; else echo no; return 1; fi; }
echo 'int main(void) { return 0; }' >conftest.c
check 'whether the C compiler works' $CC $CFLAGS conftest.c -o conftest
check 'whether programs run' ./conftest
check 'for the suffix of object files' $CC $CFLAGS -c conftest.c
check 'whether objects link' $CC $CFLAGS conftest.o -o conftest$EXEEXT
printf '#include <stdlib.h>\nint main(void) { if (!malloc(1)) abort(); _Exit(0); }\n' >conftest.c
check 'whether abort and _Exit are there' $CC $CFLAGS -o conftest conftest.c -lm
check 'whether it exits' ./conftest
printf 'int no_such_function(void); int main(void) { return no_such_function(); }\n' >conftest.c
if check 'for no_such_function' $CC $CFLAGS -o conftest conftest.c; then exit 1; fi
printf 'int f(void) { return 1; }\n' >conftest.c
check 'for shared libraries' $CC $CFLAGS -shared -fPIC -o conftest.so conftest.c
check 'for static programs' sh -c "echo 'int main(void) { return 0; }' >conftest.c && $CC $CFLAGS -static -o conftest conftest.c"
check 'for -Werror' $CC -Werror -Wall -Wextra -c conftest.c
cp conftest kept-check; cp conftest.o kept-check.o; cp conftest.so kept-check.so
rm -f conftest*
printf 'CC = %s\nprog: a.o b.o\n\t$(CC) -o $@ a.o b.o\n%%.o: %%.c\n\t$(CC) -O2 -c $<\n' "$CC" >Makefile
END
chmod +x configure
for cc in 'cotree cc' cotree-cc; do
    rm -f ./*.cotree
    CC=$cc ./configure || { tail -20 config.log; die "configure failed with $cc"; }
    ! ls ./*.cotree 2>/dev/null || die "a check left a data file"
    for check in kept-check kept-check.o kept-check.so; do
        ! counts $check || die "$check counts"
    done
    # nothing of ours is in a plain check
    ! nm kept-check.o kept-check.so | grep -i cotree || die "a check has symbols of cotree"
    make -s clean 2>/dev/null || rm -f ./*.o prog
    make -s prog
    counts a.o; counts b.o; counts prog
    leaves ./prog
done

# A check that links an instrumented library gets the runtime it needs.
cotree cc -c b.c && ar rcs libb.a b.o
echo 'int twice(int); int main(void) { return twice(2) != 4; }' >conftest.c
cotree cc conftest.c -L. -lb -o conftest
./conftest
