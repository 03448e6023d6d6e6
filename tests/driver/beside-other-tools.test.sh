#!/usr/bin/env bash
# clang's own instrumentation goes on working beside ours: sanitizers, coverage, profiles; stripping
# keeps the map.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
write_sources
for flags in -fsanitize=address -fsanitize=undefined '-fsanitize=thread' --coverage -fprofile-instr-generate \
    -fprofile-generate \
    '-fstack-protector-all -D_FORTIFY_SOURCE=2' '-fcf-protection=full' -fno-plt -fomit-frame-pointer; do
    for level in -O0 -O2; do
        cotree cc $level $flags a.c b.c -o prog 2>out || { cat out; die "$level $flags does not build"; }
        leaves ./prog
        [ "$(cat output)" = $'0\n2\n4\n6' ] || die "$level $flags: wrong output"
    done
done
# A sanitizer still finds what it is there for.
printf 'int main(int c, char **v) { int a[4] = {0}; return a[c + 3]; }' >overrun.c
cotree cc -g -fsanitize=address overrun.c -o overrun
status=0; ./overrun >out 2>&1 || status=$?
[ $status -ne 0 ] && grep -q 'stack-buffer-overflow' out

# GNU strip keeps the map, so a stripped program can still be reported on.
cotree cc -O2 -g a.c b.c -o prog && strip prog && leaves ./prog
