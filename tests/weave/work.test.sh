#!/usr/bin/env bash
# Units are compiled several at a time, the largest first; on a terminal progress is shown; a unit that
# is the same in several variants is compiled once.
set -eu
. "$COTREE_TOP/tests/lib/weave.sh"
for i in 1 2 3; do
    for j in $(seq $((i * i * 4))); do
        echo "int f${i}_$j(int x) { return x % $j > 1 ? x * $j : x > 9 ? x : 1; }"
    done >f$i.c
done
echo 'int f1_1(int); int f2_1(int); int f3_1(int);
int main(int argc, char **argv) { (void)argv; return f1_1(argc) + f2_1(argc) + f3_1(argc) > 99; }' >main.c
cotree cc -O2 -fcotree-carry f2.c main.c f3.c f1.c -o prog

order() { sed -n 's/.* -o [^ ]*\/unit\([0-9]*\)\.[0-9]*\.o .*/\1/p' commands | tr '\n' ' '; }
cotree weave prog -v -j 1 -fcotree=trace -o woven 2>commands
units=$(cotree weave prog --list | sed -n 's/^unit	[^	]*	\([0-9]*\)	.*/\1/p' | nl -v 0 -w 1 |
    sort -k 2,2nr | cut -f 1 | tr '\n' ' ')
[ "$(order)" = "$units" ] && [ "$(wc -w <<<"$units")" -eq 4 ] ||
    die "compiled in the order $(order), not $units"

# Each compiler waits until another one runs.
cat >meets <<'END'
#!/bin/sh
place=
for word; do
    [ "$last" != -o ] || place=${word%/*}
    last=$word
done
if [ -n "$place" ]; then
    : >"$place/here.$$"
    while set -- "$@" && [ "$(ls "$place" | grep -c '^here')" -lt 2 ]; do sleep 0.02; done
fi
exec COMPILER "$@"
END
sed -i "s|COMPILER|clang-${LLVM:-19}|" meets && chmod +x meets
COTREE_CLANG=$PWD/meets timeout 60 cotree weave prog -j 2 -fcotree=trace -o met || die "not two at a time: $?"
same_program met woven

# It is loaded once for all units, but for one that nothing can be preloaded to.
cat >loaded.c <<'END'
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static int by;
__attribute__((constructor)) static void load(void) { by = getpid(); }
int main(int argc, char **argv)
{
    if (argc == 1) return 1;
    if (!strcmp(argv[1], "-cc1")) fprintf(stderr, "loaded by %d\n", by);
    argv[0] = COMPILER;
    return execvp(COMPILER, argv);
}
END
for link in '1 -pie' '4 -static'; do
    # shellcheck disable=SC2086 # several words
    "clang-${LLVM:-19}" -DCOMPILER="\"clang-${LLVM:-19}\"" ${link#* } loaded.c -o loaded
    COTREE_CLANG=$PWD/loaded cotree weave prog -fcotree=trace -o met 2>said || die "${link#* }: $(cat said)"
    [ "$(grep -c '^loaded by' said)" -eq 4 ] &&
        [ "$(sort -u said | grep -c '^loaded by')" -eq "${link% *}" ] || die "${link#* }: $(cat said)"
    same_program met woven
done

# Progress.
printf '#!/bin/sh\nsleep 0.4\nexec %s "$@"\n' "clang-${LLVM:-19}" >slow && chmod +x slow
COTREE_CLANG=$PWD/slow script -qec 'cotree weave prog -j 1 -fcotree=trace -o shown' /dev/null >terminal
grep -q 'weaving: .*of 4' terminal || die "no progress: $(cat -v terminal)"
COTREE_CLANG=$PWD/slow cotree weave prog -j 1 -fcotree=trace -o shown 2>message
[ ! -s message ] || die "progress in a file: $(cat -v message)"

# f2.c does not count, so its eight are one; f3.c differs in all.
groups="-fcotree=paths -fcotree-exclude-files=*f2.c"
# shellcheck disable=SC2086 # several words
cotree weave prog -v -k 8 $groups -fcotree-paths=group:%d/8 -o group.%d 2>said
[ "$(grep -c "^unit 'f2.c' is in variant . as in variant .$" said)" -eq 7 ] || die "f2.c: $(grep ^unit said)"
! grep "^unit 'f3.c' is in" said || die "f3.c was not compiled for each"
for i in 1 5 8; do
    # shellcheck disable=SC2086 # several words
    cotree weave prog $groups -fcotree-paths=group:$i/8 -o alone
    same_program group.$i alone || die "group $i of 8 is another program than alone"
done
! cmp -s group.1 group.8 || die "all groups are alike"
