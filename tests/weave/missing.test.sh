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

# Nor does what was edited after it was compiled, or before it was assembled, which IR cannot tell: the
# variant does what the program does.
cat >called.c <<'END'
int called(int x) { return x > 4 ? 2 * x : x; }
int named(void) { return 5; }
END
cat >calls.c <<'END'
#include <stdio.h>
int called(int);
__attribute__((weak)) int named(void) { return 1; }
int other(void);
__attribute__((weak)) int other(void) { return 2; }
int main(int argc, char **argv)
{
    (void)argv;
    return printf("%d %d %d\n", called(argc + 8), named(), other()) < 0;
}
END
echo 'int third(int x) { return x ? x / 3 : 7; }' >third.c
# edited NAME: called.o was; the rest was not.
edited() {
    local printed
    cotree cc -O1 -fcotree-carry calls.c called.o -o edited || die "$1: cannot be linked"
    printed=$(COTREE=off ./edited)
    cotree weave edited -fcotree=none -o woven 2>message || die "$1: $(cat message)"
    grep -q "'called.o' carries no IR" message && [ "$(wc -l <message)" -eq 1 ] || die "$1: $(cat message)"
    [ "$(COTREE=off ./woven)" = "$printed" ] || die "$1: $(./woven), and the program prints $printed"
}
compile() { cotree cc -O1 -fcotree-carry -c "$@"; }
for how in '--redefine-sym named=other' '--localize-symbol=named' '--weaken-symbol=named' '--strip-debug' \
    '--add-section .more=calls.c'; do
    # shellcheck disable=SC2086 # several words
    compile called.c && objcopy $how called.o && edited "objcopy $how"
done
compile called.c third.c && ld -r called.o third.o -o both.o &&
    objcopy --keep-global-symbol=called both.o called.o && edited "objcopy of what ld -r made"
compile -S called.c -o called.s && sed -i 's/\$5, %eax/$77, %eax/' called.s && compile called.s &&
    edited "sed of assembly"
# Nor bitcode that has been compiled before: the IR that clang made of it first is gone.
for form in '-c called.bc' '-S called.ll'; do
    cotree cc -O1 -fcotree-carry -emit-llvm ${form% *} called.c -o ${form#* }
    compile ${form#* } && edited "-emit-llvm $form"
    compile -flto ${form#* } && cotree cc -O1 -flto -fcotree-carry calls.c called.o -o edited
    cotree weave edited --list 2>&1 | grep -q "'called.o' carries no IR" || die "-emit-llvm $form, with -flto"
done
# What is as it was compiled carries its IR, wherever it went since.
compile called.c && cp called.o elsewhere.o && rm -f called.a && ar rcs called.a elsewhere.o
cotree cc -O1 -fcotree-carry calls.c called.a -o edited && cotree weave edited -o woven 2>message
[ ! -s message ] || die "an archive: $(cat message)"

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
echo 'INPUT(-lm)' >script.ld && forged whole script.ld && names "linker scripts are not obeyed"
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
