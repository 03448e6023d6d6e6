#!/usr/bin/env bash
# Every kind of link can be woven: C++, shared libraries, static programs, three linkers, link-time
# optimisation, `ld -r`; with archives, thin archives and libraries of one's own.
set -eu
. "$COTREE_TOP/tests/lib/weave.sh"
mkdir -p own
cat >lib.c <<'END'
int helper(int x) { int s = 0; for (int i = 0; i < x; i++) s += i & 5 ? i : 1; return s; }
END
cat >main.c <<'END'
#include <stdio.h>
int helper(int);
static int twice(int x) { return x > 3 ? 2 * x : x + x; }
int main(int argc, char **argv)
{
    char text[16];
    snprintf(text, sizeof text, "%d", twice(helper(argc + 9)));
    return puts(argv[0] ? text : "") < 0;
}
END
cat >main.cc <<'END'
#include <iostream>
#include <stdexcept>
#include <vector>
extern "C" int helper(int);
struct guard { ~guard() { std::cout << "left\n"; } };
template <class T> T sum(const std::vector<T> &v)
{
    T s{};
    for (const T &x : v) {
        guard g;
        if (x > 3) throw std::runtime_error("large");
        s += x;
    }
    return s;
}
int main()
{
    try {
        std::cout << sum(std::vector<int>{1, 2, 3}) + helper(5) << '\n' << sum(std::vector<double>{1, 30.0}) << '\n';
    } catch (const std::exception &e) { std::cout << e.what() << '\n'; }
}
END
printf 'VERSION { global: helper; local: *; };' >symbols.map

# compare NAME VARIANT BUILD: BUILD OUTPUT OPTION... builds it.
compare() {
    "$3" carrying -fcotree-carry || die "$1: cannot build"
    "$3" source "$2" || die "$1: cannot build with $2"
    cotree weave carrying "$2" -o woven || die "$1: cannot weave $2"
    same_program woven source || die "$1: $2: woven is not what the source gives"
}
link_with() { # FLAGS: one command compiles and links
    eval "one() { local output=\$1; shift; cotree cc -O2 $1 \"\$@\" main.c lib.c -o \"\$output\"; }"
}
for flags in -static -static-pie -no-pie -fuse-ld=lld -fuse-ld=gold '-fsanitize=address -g' \
    -flto '-flto -fuse-ld=lld' '-flto=thin -fuse-ld=lld' '-flto=thin -funified-lto -fuse-ld=lld' \
    '-flto=thin -fuse-ld=gold'; do
    link_with "$flags"
    compare "$flags" -fcotree=trace one
done
# AddressSanitizer and MemorySanitizer have names of variables in their tables, traced or not.
for flags in -fsanitize=address '-fsanitize=memory -fsanitize-memory-track-origins'; do
    link_with "$flags"
    compare "$flags" -fcotree=none one
done
# Functions that are traced are one piece of code, whatever the unit was compiled for.
link_with '-fbasic-block-sections=all -fsplit-machine-functions'
compare 'functions in pieces' -fcotree=trace one
link_with '-flto -ffat-lto-objects'
! one fat -fcotree-carry 2>message && grep -q 'of -ffat-lto-objects, cannot be carried' message ||
    die "-ffat-lto-objects: $(cat message)"
cxx() {
    local output=$1; shift; cotree cc "$@" -O1 -c lib.c && cotree c++ "$@" -O2 main.cc lib.o -o "$output"
}
compare C++ -fcotree=edges cxx
compare C++ -fcotree=none cxx
# What the environment of the link says of the program; that of weaving says nothing.
run_path() {
    local output=$1; shift; LD_RUN_PATH=/opt/of/link:/opt/two cotree cc "$@" -O2 main.c lib.c -o "$output"
}
LD_RUN_PATH=/opt/of/weave compare 'LD_RUN_PATH' -fcotree=edges run_path
readelf -d woven | grep -q '/opt/of/link:/opt/two' || die "LD_RUN_PATH says nothing here"
link_with ''
one carrying -fcotree-carry && one source -fcotree=none
LD_RUN_PATH=/opt/of/weave cotree weave carrying -fcotree=none -o woven
same_program woven source || die "LD_RUN_PATH of weaving"
library() {
    local output=$1; shift; cotree cc "$@" -O2 -fPIC -shared lib.c -Wl,--version-script=symbols.map \
        -Wl,-soname,libown.so.1 -o "$output"
}
compare library -fcotree=edges library
# A program that is linked with a library of its own carries what a linker needs of it.
library own/libown.so -fcotree-carry
users() { local output=$1; shift; cotree cc "$@" -O2 main.c -Lown -lown -o "$output"; }
compare 'with a library of its own' -fcotree=edges users
rm -r own
cotree weave carrying -fcotree=edges -o again && same_program again source ||
    die "the library is gone: another program"
# Of libraries that such a library needs, too, wherever the linker found them.
mkdir needed
echo 'int inner(int x) { return x * 3; }' >inner.c
echo 'int inner(int); int helper(int x) { return inner(x) + 1; }' >outer.c
cotree cc -O2 -shared -fPIC inner.c -Wl,-soname,libinner.so.1 -o needed/libinner.so.1
cotree cc -O2 -shared -fPIC outer.c needed/libinner.so.1 -Wl,-soname,libouter.so.1 -o needed/libouter.so
needing() { local output=$1; shift; cotree cc "$@" -O2 main.c -Lneeded -louter "$where" -o "$output"; }
for where in -Wl,-rpath-link,needed "-Wl,-rpath,$PWD/needed" environment; do
    [ "$where" != environment ] || { export LD_LIBRARY_PATH=$PWD/needed && where=-Wl,-O1; }
    compare "libraries that need libraries: $where" -fcotree=edges needing
    mv needed gone
    cotree weave carrying -fcotree=edges -o again && same_program again source ||
        die "libraries are gone, $where: another program"
    mv gone needed
done
unset LD_LIBRARY_PATH
# A library of one's own that has the name of one of the system, and words that say where libraries are.
mkdir named
cotree cc -O2 -fPIC -shared lib.c -o named/libz.so
ls /usr/lib/*/libz.so >/dev/null
by_words() { local output=$1; shift; eval "cotree cc \"\$@\" -O2 main.c $words -o \"\$output\""; }
for words in '-Lnamed -lz' '-Wl,--push-state,-Bstatic -lm -Wl,--pop-state -Lnamed -lz' \
    '-Lnamed -lz -Wl,-R,named' '-Lnamed -l:libz.so -Wl,-Rnamed'; do
    compare "$words" -fcotree=trace by_words
done
# Without a name of its own it is known by the path that it was linked by, which no variant can have.
words=named/libz.so
by_words carrying -fcotree-carry
! cotree weave carrying -o woven 2>message && grep -q "'libz.so' has no name of its own" message ||
    die "a library without a name: $(cat message)"
# One in a directory that no word names, and the linker knows by itself.
cat >known.sh <<'END'
set -eu
mount -t tmpfs none /usr/local/lib && cp named/libz.so /usr/local/lib/libonlyhere.so
cotree cc -fcotree-carry -O2 main.c -lonlyhere -o known
END
if unshare -m true 2>/dev/null; then
    unshare -m bash known.sh || die "a library where the linker looks by itself: cannot be linked"
    cotree weave known -fcotree=edges -o woven && same_program woven known || die "a library of /usr/local"
else
    echo "skipped: a library where the linker looks by itself, which needs a mount"
fi
thin() {
    local output=$1; shift; cotree cc "$@" -O2 -c main.c lib.c && rm -f thin.a && ar rcsT thin.a lib.o &&
        cotree cc "$@" main.o thin.a -o "$output"
}
compare 'thin archive' -fcotree=edges thin
# Members of one name: a linker does not say which of them it took.
mkdir other
echo 'int unused_one(int x) { return x * 7; }' >other/lib.c
alike() {
    local output=$1; shift; cotree cc "$@" -O2 -c main.c lib.c && (cd other && cotree cc "$@" -O2 -c lib.c) &&
        rm -f alike.a && ar qcs alike.a other/lib.o lib.o && cotree cc "$@" main.o alike.a -o "$output"
}
compare 'members of one name' -fcotree=edges alike
joined() {
    local output=$1; shift; cotree cc "$@" -O2 -c main.c lib.c && ld -r main.o lib.o -o joined.o &&
        cotree cc "$@" joined.o -o "$output"
}
compare 'ld -r' -fcotree=trace joined
# With assembly in it, which names no source, it is carried whole, and named.
joined_with_assembly() {
    local output=$1; shift; cotree cc "$@" -O2 -c main.c lib.c && cotree cc -c hand.S &&
        ld -r lib.o hand.o -o joined.o &&
        cotree cc "$@" main.o joined.o -Wl,-u,by_hand -o "$output"
}
printf '.globl by_hand\nby_hand: ret\n.section .note.GNU-stack,"",@progbits\n' >hand.S
joined_with_assembly carrying -fcotree-carry
cotree weave carrying -fcotree=edges -o woven 2>message || die "ld -r with assembly: $(cat message)"
same_program woven carrying || die "ld -r with assembly: another program"
grep -q "'joined.o' carries no IR" message || die "ld -r with assembly: $(cat message)"
[ "$(cotree weave carrying --list 2>message | grep -c '^unit')" -eq 1 ] || die "units that nothing is made of"
lto_archive() {
    local output=$1; shift; cotree cc "$@" -flto -O2 -c main.c lib.c && rm -f lto.a &&
        "llvm-ar-${LLVM:-19}" rcs lto.a lib.o && cotree cc "$@" -flto -fuse-ld=lld main.o lto.a -o "$output"
}
compare 'an archive of bitcode' -fcotree=edges lto_archive
response() { local output=$1; shift; echo "main.c lib.c -O2" >words && cotree cc "$@" @words -o "$output"; }
compare 'response file' -fcotree=edges response

# The linker keeps no file that is not its own: what the program is made of does not depend on names
# of temporary files, be they of units or of assembly.
link_with hand.S
one first -fcotree-carry && TMPDIR=/var/tmp one second -fcotree-carry
cmp first second || die "the same command makes other bytes"
cotree weave first --list 2>message | grep -q '^input	whole	hand.o	' || die "no input hand.o"

# With a version script and without -soname a library has the name of the output inside; lld and gold take
# the whole of it, which says where a program was built.
mkdir -p versions/below
library() { # FLAG: versions/lib.so
    (cd versions && cotree cc "$1" -O2 -fPIC -shared ../lib.c "-fuse-ld=$linker" \
        -Wl,--version-script=../symbols.map -o "${2-lib.so}") || die "$linker: cannot build a version script"
}
for linker in bfd gold lld; do
    library -fcotree-carry && mv versions/lib.so carrying.so && library -fcotree=trace
    cotree weave carrying.so -fcotree=trace -o woven.so && same_program woven.so versions/lib.so ||
        die "$linker: what a version script names"
    library -fcotree-carry below/lib.so
    if [ $linker = bfd ]; then
        cotree weave versions/below/lib.so -fcotree=trace -o woven.so &&
            same_program woven.so versions/lib.so || die "$linker: what a version script names, elsewhere"
    else
        ! cotree weave versions/below/lib.so -o other.so 2>message &&
            grep -q "has its own path in it, 'below/lib.so'" message || die "$linker: $(cat message)"
    fi
done
