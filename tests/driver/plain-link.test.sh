#!/usr/bin/env bash
# An instrumented object that is linked without cotree fails, and the missing symbol says what to do.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
write_sources
for flags in -fPIE -fPIC '-O2 -fno-pic'; do
    case $flags in *-fno-pic) pie=-no-pie ;; *) pie=-pie ;; esac
    cotree cc $flags -c a.c b.c
    for compiler in $clang cc "$clang -fuse-ld=lld"; do
        status=0; $compiler $pie a.o b.o -o prog >out 2>&1 || status=$?
        [ $status -ne 0 ] || die "$compiler linked it"
        grep -q 'cotree_runtime_is_missing_so_link_with_cotree_cc' out ||
            { cat out; die "$compiler does not say what to do"; }
    done
done
# Also where nothing is executed: a library of data and functions.
cotree cc -fPIC -c b.c && status=0 && $clang -shared -Wl,-z,defs b.o -o libb.so >out 2>&1 || status=$?
[ $status -ne 0 ] && grep -q cotree_runtime_is_missing out
