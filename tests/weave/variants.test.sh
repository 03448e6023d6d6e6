#!/usr/bin/env bash
# A woven variant is, byte for byte, what building it from source gives; what was carried changes
# nothing in the program that carries it, and is carried on.
set -eu
. "$COTREE_TOP/tests/lib/weave.sh"
cat >main.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int twice(int), unused(int), from_archive(int);
static int walk(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        if (i % 3)
            sum += twice(i);
        else if (i % 7 == 2)
            sum -= from_archive(i);
    return sum;
}
int main(int argc, char **argv)
{
    printf("%d\n", walk(argc > 1 ? atoi(argv[1]) : 100));
    return 0;
}
END
echo 'int twice(int x) { return x > 50 ? 2 * x : x + x; }' >twice.c
echo 'int from_archive(int x) { int y = 1; while (x > 1) { y *= 3; x /= 2; } return y; }' >in.c
echo 'int unused(int x) { return x ? unused(x - 1) : 0; }' >unused.c
cat >other.s <<'END'
.globl by_hand
by_hand: mov %edi, %eax
 ret
.section .note.GNU-stack,"",@progbits
END
# build OUTPUT OPTION...: two units with options of their own, an archive, an object without IR.
build() {
    local output=$1
    shift
    cotree cc "$@" -O2 -c main.c
    cotree cc "$@" -O1 -ffunction-sections -g -c twice.c
    cotree cc "$@" -O2 -c in.c && cotree cc "$@" -O2 -c unused.c && cotree cc "$@" -c other.s
    rm -f lib.a && ar rcs lib.a unused.o in.o
    cotree cc "$@" main.o twice.o other.o lib.a -Wl,--gc-sections -lm -o "$output"
}
build carrying -fcotree-carry
build without
carries carrying || die "carries nothing"
same_program carrying without || die "-fcotree-carry has changed the program"

cotree weave carrying -fcotree=paths -o paths
COTREE_FILE=seen.cotree ./paths >out && cotree merge -q paths seen.cotree -o seen
compare() { # OPTION...
    build source "$@"
    cotree weave carrying "$@" -o woven || die "cannot weave $*"
    same_program woven source || die "$*: woven is not what the source gives"
    carries woven || die "$*: carries nothing"
    cmp <(COTREE=off ./woven 500) <(COTREE=off ./carrying 500)
}
compare -fcotree=none
compare -fcotree=edges
compare -fcotree=paths
compare -fcotree=trace
compare -fcotree=edges,every-edge -fcotree-durable '-fcotree-exclude-functions=twi*'
compare -fcotree=paths -fcotree-paths=uncovered:seen
compare -fcotree=none -fcotree-use=seen

# The variant can be woven again, from another place, with the build tree gone; it names its origin.
mkdir elsewhere && cp woven elsewhere/prog && rm -f ./*.o lib.a ./*.c other.s
cotree weave elsewhere/prog -fcotree=edges -o elsewhere/again
same_program elsewhere/again without || die "woven again: another program"
origin=$(cotree weave carrying --list | sed -n 's/^program\t//p')
[ "$(cotree weave elsewhere/again --list | sed -n 's/^origin\t//p')" = "$origin" ] || die "another origin"
cotree weave carrying --list >list
grep "^unit	twice.c	" list | grep -- ' -ffunction-sections ' | grep -q -- ' -O1 ' ||
    die "no unit twice.c in the list"
grep -q "^member	units	in.o" list && ! grep -q unused.o list ||
    die "other members than those that were linked"
grep -q "^input	whole	other.o" list || die "the object without IR is not listed"
! grep -q "$PWD" list || die "the list names the builder's folder"

# Stripped by GNU strip it still carries.
cp carrying stripped && strip stripped
cotree weave stripped -fcotree=edges -o from-stripped
same_program from-stripped without || die "woven from a stripped program: another program"
