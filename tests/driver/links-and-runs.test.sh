#!/usr/bin/env bash
# Programs built in every way link, run and are counted: several inputs at once, archives, -static,
# -static-pie, -no-pie, -r, shared libraries; links by GNU ld, gold and lld; C++ and mixtures with
# plain and assembly code.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
write_sources
expected=$'0\n2\n4\n6'
right() { leaves "$@"; [ "$(cat output)" = "$expected" ] || die "wrong output of $*"; }

cotree cc a.c b.c -o in-one-go && right ./in-one-go
cotree-cc -O2 a.c b.c && right ./a.out
cotree cc -c a.c b.c && cotree cc a.o b.o -o from-objects && right ./from-objects
cotree cc a.o b.s -o with-assembly && right ./with-assembly
cotree cc a.o B.S -o with-assembly-2 && right ./with-assembly-2
cotree cc a.o -x c b.c -o language && right ./language
cotree cc a.c -x assembler b.s -o language-2 && right ./language-2
$clang -c b.c -o plain-b.o
cotree cc a.o plain-b.o -o mixed && right ./mixed
ar rcs libtwice.a b.o && cotree cc a.o libtwice.a -o archive && right ./archive
cotree cc a.o -L. -ltwice -o archive-2 && right ./archive-2
cotree cc -r a.o b.o -o both.o && cotree cc both.o -o partial && right ./partial
cotree cc -O2 -flto a.c b.c -fuse-ld=lld -o lto && right ./lto
cotree cc -O2 -flto=thin a.c b.c -fuse-ld=lld -o thinlto && right ./thinlto
cotree cc -save-temps a.c b.c -o temps && right ./temps
cat a.c | cotree cc -x c - -x none b.o -o from-stdin && right ./from-stdin
echo 'int printf(const char *, ...); void nobody_calls(int n) { while (n--) printf("%d", n); }' >dropped.c
for linker in bfd gold lld; do
    for kind in '' -no-pie -pie -static -static-pie; do
        # clang's own static-pie links fail with gold
        if [ "$linker $kind" = 'gold -static-pie' ]; then continue; fi
        cotree cc -fuse-ld=$linker $kind -ffunction-sections -Wl,--gc-sections a.c b.c -o "p-$linker$kind" ||
            die "link: $linker $kind"
        right "./p-$linker$kind"
    done
    cotree cc -fuse-ld=$linker -O1 -ffunction-sections -Wl,--gc-sections a.c b.c dropped.c -o collected ||
        die "link: $linker, with functions that nobody calls"
    right ./collected
    cotree cc -fuse-ld=$linker -shared -fPIC b.c -o libb-$linker.so
    cotree cc -fuse-ld=$linker a.c ./libb-$linker.so -o with-library-$linker && right ./with-library-$linker
    $clang a.c ./libb-$linker.so -o plain-with-library &&
        ./plain-with-library >output # an instrumented library under a plain program
    [ "$(cat output)" = "$expected" ]
done
cotree c++ c.cpp -o cxx && leaves ./cxx && [ "$(cat output)" = $'0\n0\n1' ]
cotree-c++ -O2 -static c.cpp -o cxx-static && leaves ./cxx-static

# Nothing counts in these: they are what they would be without cotree.
cotree cc -fcotree=none a.c b.c -o none && ! counts none && leaves_nothing ./none
cotree cc -fcotree=none b.c -c && ! counts b.o
cotree cc -nostdlib -shared b.o -o libnone.so && ! nm -D libnone.so | grep -q cotree
printf 'void _start(void) { __asm__ volatile("syscall" : : "a"(60L), "D"(0L)); }' >start.c
cotree cc -fcotree=none -nostdlib -static start.c -o bare 2>out ||
    { cat out; die "a freestanding program does not link"; }
./bare
