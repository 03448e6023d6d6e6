#!/usr/bin/env bash
# A program is data: words in it that load code, write or read files, or are not known are refused by
# name, and nothing is run, read or written for them. So are records that are damaged or lie.
set -eu
. "$COTREE_TOP/tests/lib/weave.sh"
echo 'int main(void) { return 0; }' >main.c
cotree cc -O1 -fcotree-carry main.c -o prog
objcopy -R .cotree.ir -R .cotree.link prog bare
mkdir out
# A word that is let through shows by what it leaves behind.
echo 'int onload(void *x) { (void)x; return 0; } __attribute__((constructor)) static void f(void) { __builtin_trap(); }' >evil.c
"clang-${LLVM:-19}" -shared -fPIC evil.c -o evil.so
echo '-o out/words' >words
echo 'OUTPUT(out/script)' >script.ld

tried=0
refuses() { # PATTERN WHAT VALUE...: the message matches the pattern
    local pattern=$1
    shift
    cp bare forged
    "$COTREE_BUILD/check/forge" prog forged "$@" || die "cannot forge $*"
    if cotree weave forged -fcotree=edges -o out/woven 2>message; then die "woven: $*"; fi
    grep -q -- "$pattern" message || die "$*: $(cat message)"
    [ "$(wc -l <message)" -lt 6 ] || die "$*: many lines"
    [ -z "$(ls -A out)" ] || die "$*: left $(ls -A out)"
    tried=$((tried + 1))
}
word() { refuses "'$1" unit "$@"; }     # of the compiler
linker() { refuses "'$1" link "$@"; }   # of the linker
# The forger itself is right: what changes nothing is woven.
cp bare forged && "$COTREE_BUILD/check/forge" prog forged unit -O1 && cotree weave forged -o fine &&
    same_program fine prog

# Code that is loaded.
word -load "$PWD/evil.so"
word -plugin evil
word -add-plugin evil
word "-fpass-plugin=$PWD/evil.so"
word "-fplugin=$PWD/evil.so"
refuses "mllvm -load" unit -mllvm "-load=$PWD/evil.so"
refuses "mllvm -x86-lvi-load-opt-plugin" unit -mllvm -x86-lvi-load-opt-plugin=evil.so
refuses "mllvm -cotree-options" unit -mllvm "-cotree-options=sets=edges"
linker -plugin "$PWD/evil.so"
linker "-plugin=LLVMgold.so" x
linker "-plugin-opt=-load=$PWD/evil.so"
# Files that are written.
word -o out/file
word -dependency-file out/file
word -coverage-notes-file=out/file
word -coverage-data-file=out/file
word -split-dwarf-output out/file
word -split-dwarf-file out/file
word -fthin-link-bitcode=out/file
word -ftime-trace=out/file
word -opt-record-file out/file
word -stats-file=out/file
word -header-include-file out/file
word -stack-usage-file out/file
refuses "mllvm -info-output-file" unit -mllvm -info-output-file=out/file
refuses "mllvm -pass-remarks-output" unit -mllvm -pass-remarks-output=out/file
refuses "mllvm -enable" unit -mllvm -enable-something=out/file
refuses "mllvm -print-after-all" unit -mllvm -print-after-all
linker -o out/file
linker -Map=out/file
linker --dependency-file=out/file
linker --reproduce=out/file
linker -plugin-opt=obj-path=out/file
linker -plugin-opt=save-temps
linker --plugin-opt=cache-dir=out
linker --save-temps
linker --time-trace-file=out/file
linker --out-implib=out/file
# Files that are read, and not carried.
word @words
refuses "'@words' asks for a file of words" unit -triple @words
word main.c
word -include main.c
word -I /tmp
word -isystem /tmp
word -fprofile-instrument-use-path=main.c
word -fprofile-sample-use=main.c
word -fsanitize-coverage-allowlist=main.c
word -fxray-always-instrument=main.c
word -fbasic-block-sections=main.c
word -mlink-builtin-bitcode main.c
linker @words
linker -rpath @words
linker main.o
linker "-L$PWD"
linker -L.
linker -lc
linker --hash-size=99999999
linker --spare-dynamic-tags=-1
linker -T script.ld
linker --script=script.ld
linker --just-symbols=main.o
linker --sysroot=/
linker --version-script=words
linker --dynamic-list words
linker -b binary
# An option whose value is another word than it seems, or that a linker reads as another one.
linker -e '' --reproduce=out/file
linker -e --reproduce=out/file
refuses "'--Map=out/file'" link --hash-size -e --Map=out/file
refuses "'--reproduce=out/file'" link --error-limit -e --reproduce=out/file
linker -omagic
linker -orphan-handling=../out/file
refuses "unrecognized option '--rosegment'" link -rosegment
refuses "unrecognized option '--color-diagnostics'" link -color-diagnostics
for file in magic segment olor-diagnostics; do [ ! -e $file ] || die "the linker wrote '$file'"; done
libc=$(cotree weave prog --list | sed -n 's/^input\tnamed\t\(.*\/libc.so\)\t.*/\1/p')
refuses "'-lm' names no library" library -lm "$libc"
refuses "'-l../evil' names no library" library -l../evil "$libc"
refuses "'-l:evil.so' names no library" library -l:evil.so "$libc"
refuses "no file of the system" named "$PWD/words"
refuses "'-lc' names no library" begin -static
refuses "'-lc' names no library" begin -Bstatic
refuses "gone" named /usr/lib/no-such-file
refuses "no object" whole script.ld
refuses "'--script='" option --script= script.ld
refuses "'-plugin='" option -plugin= evil.so
refuses "'--version-script=words'" option --version-script=words words
# Programs that are run.
refuses "'$PWD/evil' (.*) is not here" linker "$PWD/evil"
refuses "'../evil' (.*) is not here" linker ../evil
refuses "'sh' (.*) is not here" linker sh
word -fno-integrated-as
# Lies.
refuses "another compiler, 'clang version 99" compiler 'clang version 99'
refuses "damaged: 'nonsense'" driver nonsense=1
refuses "damaged: 'wrap'" driver 'link=0;wrap=-o'
refuses "no name of a file" name ../../out/file
refuses "no name of a file" name ..
refuses "has its own path in it, '/tmp/evil'" output /tmp/evil
refuses "has its own path in it, '..'" output ..
refuses "is missing" lost
refuses "names no output" no-output
refuses "claim to unpack" bomb
head -c 3000 /dev/urandom >noise
printf 'BC\300\336' | cat - noise >bitcode
refuses "the compiler failed on unit" bitcode noise
refuses "the compiler failed on unit" bitcode bitcode
cotree cc -O1 -c -emit-llvm main.c -o counted.bc
refuses "has been compiled before" bitcode counted.bc
# Assembly that makes a file of 4 GB: of a small program none is made that is larger than 300 MB.
echo 'asm(".section .large,\"\",@progbits\n.zero 4000000000\n.text"); int main(void) { return 0; }' >large.c
"clang-${LLVM:-19}" -O1 -c -emit-llvm large.c -o large.bc
cp bare forged && "$COTREE_BUILD/check/forge" prog forged bitcode large.bc
! cotree weave forged -fcotree=edges -o out/woven 2>message &&
    grep -q 'the compiler failed on unit' message && grep -q 'File too large' message &&
    [ -z "$(ls -A out)" ] || die "a large file: $(head -n 5 message)"
[ "$tried" -gt 80 ] || die "only $tried words were tried"
# What is printed of a program cannot talk to the terminal.
cp bare forged && "$COTREE_BUILD/check/forge" prog forged origin $'\e]0;evil\a' && cotree weave forged --list >list
grep -q '^origin.*evil' list && ! grep -q $'\e' list || die "the terminal is told: $(cat -v list)"

# A unit whose assembly includes files carries nothing, and none that does is compiled; if macros hide
# it, it gets no files that are not the system's.
echo secret-words >words
cat >include.c <<'END'
asm(".section .rodata\n.globl stolen\nstolen: .incbin \"" WORDS "\"\n.byte 0\n.text");
extern const char stolen[];
int puts(const char *);
int main(void) { return puts(stolen) < 0; }
END
sed 's/.incbin/.macro m a\\n.inc\\\\a/; s/\\n.byte/\\n.endm\\nm bin\\n.byte/' include.c >macro.c
echo 'asm(".include \"" WORDS "\""); int main(void) { return 0; }' >words.c
echo 'int main(void) { __asm__ volatile(".section .x\n.INCBIN \"" WORDS "\"\n.text"); return 0; }' >within.c
system=$(find /usr/lib/ -name crt1.o | head -n 1)
for file in include within words; do
    [ $file != words ] || echo '.byte 0' >words
    for read in "$PWD/words" "$system"; do
        [ "$file$read" != "words$system" ] || continue
        cotree cc -O1 -fcotree-carry -DWORDS="\"$read\"" $file.c -o including || die "$file: cannot be built"
        cotree weave including -o including.woven 2>message || die "$file: $(cat message)"
        grep -q "'$file.o' carries no IR" message && same_program including.woven including ||
            die "$file: $(cat message)"
        "clang-${LLVM:-19}" -O1 -c -emit-llvm -DWORDS="\"$read\"" $file.c -o $file.bc
        refuses "includes files in its assembly" bitcode $file.bc
    done
done
if "$COTREE_BUILD/check/forge" confines; then
    cotree cc -O1 -fcotree-carry -DWORDS="\"$PWD/words\"" macro.c -o including || die "cannot be built"
    ! cotree weave including -o out/woven 2>message || die "macro: woven"
    grep -q "the compiler failed on unit 'macro.c'" message || die "macro: $(cat message)"
    [ -z "$(ls -A out)" ] || die "macro: left $(ls -A out)"
    # Nor devices, nor what weave was given: some never end.
    for device in /dev/zero /dev/urandom /dev/stdin /dev/fd/2 /proc/self/fd/1; do
        sed "s|DEVICE|$device|" >device.c <<'END'
int main(void) { __asm__ volatile(".macro m a\n.inc\\a \"DEVICE\"\n.endm\nm bin"); }
END
        "clang-${LLVM:-19}" -O1 -c -emit-llvm device.c -o macro.bc
        cp bare forged && "$COTREE_BUILD/check/forge" prog forged bitcode macro.bc
        ! yes | timeout 60 cotree weave forged -o out/woven >printed 2>message || die "$device: woven"
        grep -q "the compiler failed on unit" message || die "$device: $(cat message)"
        [ -z "$(ls -A out)" ] || die "$device: left $(ls -A out)"
    done
else
    echo "skipped: files that assembly includes: the kernel has no Landlock"
fi
# Libraries that are carried do not say where the linker looks for others.
echo 'int other(void) { return 7; }' >other.c && "clang-${LLVM:-19}" -shared -fPIC other.c -o libother.so
echo 'int other(void); int needs(void) { return other(); }' >needs.c
"clang-${LLVM:-19}" -shared -fPIC needs.c -L. -lother "-Wl,-rpath,$PWD,--disable-new-dtags,-soname,libneeds.so" \
    -o libneeds.so
refuses "libother.so, needed by .*, not found" whole libneeds.so
# Objects that ask lld for libraries get none.
echo 'int f(void) { return 0; }' >f.c && "clang-${LLVM:-19}" -c f.c
echo '#pragma comment(lib, FILE)
int f(void); int main(void) { return f(); }' >asks.c
cotree cc -O1 -fcotree-carry -fuse-ld=lld -DFILE="\"$PWD/f.o\"" asks.c -o asking
! cotree weave asking -o out/woven 2>message && grep -q 'undefined symbol: f' message || die "asks.c: $(cat message)"

# Damaged sections, and programs that carry nothing.
offset=$(readelf -SW prog | sed -n 's/.*\.cotree\.link *PROGBITS *[0-9a-f]* \([0-9a-f]*\).*/\1/p')
cp prog damaged && printf 'x' | dd of=damaged bs=1 seek=$((0x$offset + 60)) conv=notrunc 2>/dev/null
! cotree weave damaged -o out/woven 2>message && grep -q 'section .cotree.link is damaged' message
! cotree weave bare -o out/woven 2>message && grep -q 'carries nothing' message
! cotree weave main.c -o out/woven 2>message && grep -q 'is no program' message
! cotree weave prog -o prog 2>message && grep -q 'is read by this command' message
! cotree weave prog 2>message && grep -q 'no output' message
[ -z "$(ls -A out)" ]
