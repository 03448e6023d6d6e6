#!/usr/bin/env bash
# Anything but x86-64 Linux with glibc is refused with one line; -fcotree=none and steps without
# code still pass.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
write_sources
for flag in -m32 -mx32 --target=aarch64-linux-gnu --target=x86_64-apple-macos --target=x86_64-linux-musl \
    --target=x86_64-linux-gnux32 --target=i686-linux-gnu; do
    refuses 1 "'$flag': only x86-64 Linux with glibc is supported" cotree cc $flag -c a.c
    refuses 1 "only x86-64 Linux" cotree cc $flag a.o -o prog
    untouched $flag -E a.c
    [ "$(steps_of cotree cc -fcotree=none $flag -c a.c)" = "$(steps_of $clang $flag -c a.c)" ]
done
refuses 1 "only x86-64 Linux" cotree cc -target riscv64-linux-gnu -c a.c
for flag in -m64 --target=x86_64-pc-linux-gnu --target=x86_64-linux-gnu --target=x86_64-unknown-linux-gnu; do
    only_added $flag -c a.c
done
only_added -m32 -m64 -c a.c
only_added --target=aarch64-linux-gnu -target x86_64-linux-gnu -c a.c
# Building cotree itself elsewhere says so, too.
mkdir bin && printf '#!/bin/sh\necho Linux aarch64\n' >bin/uname && chmod +x bin/uname
status=0; PATH=$PWD/bin:$PATH make -C "$COTREE_TOP" help >out 2>&1 || status=$?
[ $status -ne 0 ] && grep -q 'cotree needs x86-64 Linux with glibc' out
