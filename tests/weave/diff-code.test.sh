#!/usr/bin/env bash
# `cotree weave --diff-code` names the functions whose code differs, and not those that only moved.
set -eu
. "$COTREE_TOP/tests/lib/weave.sh"
cat >a.c <<'END'
#include <stdio.h>
int table[4] = {1, 2, 3, 4};
int changes(int), stays(int), grows(int);
int calls(int x) { return changes(x) + stays(x) * table[x & 3] + grows(x); }
int main(int argc, char **argv) { (void)argv; puts("same text"); return calls(argc); }
END
cat >0.c <<'END'
#include <stdio.h>
extern int table[4];
#ifdef MORE
int grows(int x) { for (int i = 0; i < x; i++) table[i & 3] += printf("%d\n", i); return x; }
#else
int grows(int x) { return x + table[1]; }
#endif
END
echo '__attribute__((noinline)) int stays(int x) { return x * 3 + 1; }' >b.c
echo '__attribute__((noinline)) int changes(int x) { return x OP 5; }' >c.c
for flags in '-O1' '-O1 -no-pie' '-O2 -fPIC'; do
    build() { "clang-${LLVM:-19}" -fno-inline $flags "${@:2}" 0.c a.c b.c c.c -o "$1"; }
    build one -DOP=+ && build again -DOP=+ && build two -DOP=- && build three -DOP=+ -DMORE
    cotree weave --diff-code one again >same || die "$flags: equal programs differ: $(cat same)"
    status=0 && cotree weave --diff-code one two >two.list || status=$?
    [ $status -eq 3 ] && [ "$(cut -f4 two.list | head -n -1)" = changes ] || die "$flags: $(cat two.list)"
    cotree weave --diff-code one three >three.list && die "$flags: no difference"
    [ "$(cut -f4 three.list | head -n -1)" = grows ] || die "$flags: $(cat three.list)"
    grep -q '^1 of [0-9]* functions differ$' three.list
done
strip one -o stripped
! cotree weave --diff-code stripped two 2>message && grep -q 'has no symbols' message
! cotree weave --diff-code one 2>message && grep -q 'two programs' message
# A variant without counters is the plain program, but for what the linker adds by itself.
cotree cc -O2 -fcotree-carry -DOP=+ 0.c a.c b.c c.c -o prog && cotree weave prog -fcotree=none -o plain
cotree cc -O2 -fcotree=none -DOP=+ 0.c a.c b.c c.c -o source && cotree weave --diff-code plain source
cotree weave --diff-code plain prog >list && die "no difference between plain and counting"
grep -q '	main$' list
