#!/usr/bin/env bash
# What is missing is named before any work: files that have gone or changed, another compiler, a linker
# that is not here, sections that were stripped; --list says so, too. Objects without IR are named, and
# linked as they are.
set -eu
. "$COTREE_TOP/tests/lib/weave.sh"
cat >main.c <<'END'
int by_hand(int), plain(int);
int main(int argc, char **argv) { (void)argv; return by_hand(argc) + plain(argc) > 9; }
END
echo 'int plain(int x) { return x > 4 ? 2 * x : x; }' >plain.c
printf '.globl by_hand\nby_hand: mov %%edi, %%eax\n ret\n.section .note.GNU-stack,"",@progbits\n' >hand.s
cotree cc -c hand.s
cotree cc -O1 -c plain.c # counts edges, and carries nothing
cotree cc -O1 -fcotree-carry main.c hand.o -x c plain.c -o whole
cotree cc -O1 -fcotree-carry main.c hand.o plain.o -o prog

# Objects without IR: start files of the C library are none.
cotree weave prog --list >list 2>message || die "objects without IR are refused: $(cat message)"
grep -q "'hand.o' carries no IR" message && grep -q "'plain.o' carries no IR" message &&
    [ "$(wc -l <message)" -eq 2 ] || die "objects without IR: $(cat message)"
cotree weave prog -fcotree=none -o woven 2>message
grep -q "2 objects carry no IR ('hand.o', .*--list" message || die "objects without IR: $(cat message)"
cotree weave whole -fcotree=none -o woven 2>message
[ "$(wc -l <message)" -eq 1 ] && grep -q "'hand.o' carries no IR" message || die "one object: $(cat message)"

cotree cc -O1 -fcotree-carry -DONE plain.c -shared -fPIC -o lib.so
objcopy -R .cotree.ir -R .cotree.link lib.so bare
forged() { cp bare forged && "$COTREE_BUILD/check/forge" lib.so forged "$@"; }
# names PATTERN: weaving and listing say so, with status 1, and nothing is done.
names() {
    local status
    for what in "-fcotree=edges -o woven.so" --list; do
        rm -f woven.so && status=0
        # shellcheck disable=SC2086 # several words
        cotree weave forged $what >out 2>message || status=$?
        [ $status -eq 1 ] && [ ! -e woven.so ] || die "$1: status $status of $what"
        grep -q -- "$1" message || die "$1: $what says: $(cat message)"
    done
    grep -q '^unit	plain.c' out || die "$1: no list"
}
cotree weave lib.so -fcotree=edges -o fine.so
forged changed && names "has changed since the program was linked"
forged named /usr/lib/no-such-file && names "'/usr/lib/no-such-file', which is gone"
forged lost && names "the unit that '.*' was made of is missing"
forged linker ld.mold-of-yesterday && names "linker 'ld.mold-of-yesterday' .* is not here"
forged compiler 'clang version 99' &&
    names "unit 'plain.c' was compiled by another compiler, 'clang version 99'"
cotree weave forged --any-compiler -fcotree=edges -o woven.so 2>message ||
    die "--any-compiler: $(cat message)"
same_program woven.so fine.so || die "--any-compiler: another program"
forged linker ld.gold && mkdir path
! PATH=$PWD/path "$COTREE_BUILD/cotree" weave forged --list >out 2>message &&
    grep -q "linker 'ld.gold' .* is not here" message || die "a linker that is not here: $(cat message)"
# Another file that -l would find before the one that was linked, or beside it.
cat >shadow.sh <<'END'
set -eu
cp -a /usr/lib64 shadow && cp /usr/lib/x86_64-linux-gnu/libc.a shadow
mount --bind shadow /usr/lib64
! cotree weave lib.so -fcotree=edges -o shadowed.so 2>message
# What a script of the system's names is looked for in directories, too.
rm shadow/libc.a && cp /lib/x86_64-linux-gnu/libgcc_s.so.1 shadow && echo >>shadow/libgcc_s.so.1
! cotree weave lib.so -fcotree=edges -o shadowed.so 2>nested
END
if unshare -m true 2>/dev/null; then
    unshare -m bash shadow.sh || die "another library was linked"
    [ ! -e shadowed.so ] && grep -q "'-lc' names no library of the system" message ||
        die "another library: $(cat message)"
    grep -q "the linker took '/usr/lib64/libgcc_s.so.1', which the program was not linked with" nested ||
        die "another library of a script: $(cat nested)"
else
    echo "skipped: another library that stands before the one that was linked, which needs a mount"
fi
cp lib.so stripped.so && "llvm-strip-${LLVM:-19}" stripped.so
! cotree weave stripped.so --list 2>message && grep -q 'carries nothing: .* was stripped' message ||
    die "stripped by llvm-strip: $(cat message)"
