#!/usr/bin/env bash
# Calls between units go to bodies by their names where those are traced, and out where they are
# not: what is regenerated is what was reported, whatever is linked; and the program does what it
# does without, also where the linker leads calls elsewhere.
set -eu
. "$COTREE_TOP/tests/lib/traced.sh"
compile() { # LEVEL SOURCE OUT [OPTION...]
    "$cotree" "$([ "${2##*.}" = c ] && echo cc || echo c++)" -O"$1" -w -fcotree=trace -fcotree-trace=report \
        -c "$here/$2" -o "$3" "${@:4}"
}
"clang++-$LLVM" -O2 -w -c "$here/named_main.cpp" -o plain_main.o
"clang++-$LLVM" -O2 -w -c "$here/named_plain.cpp" -o plain.o
"clang-$LLVM" -O2 -w -c "$here/named_traced.c" -o plain_traced.o
"clang++-$LLVM" -O2 -w -fPIC -c "$here/named_plain.cpp" -o plain_pic.o
"clang++-$LLVM" plain_main.o plain.o plain_traced.o -o plain
./plain >plain.out

judge() { # NAME WORD...: links, runs, compares
    "$cotree" c++ -fcotree=trace reporter.o "${@:2}" -o named
    ./named >traced.out || fail "$1: status $?"
    cmp plain.out traced.out || fail "$1: another output"
    blocks=0
    same named 2
    echo "$1: $blocks blocks"
}
for levels in '0 0' '2 2' '3 1'; do
    compile "${levels% *}" named_main.cpp main.o
    compile "${levels#* }" named_traced.c traced.o
    judge "levels $levels" main.o plain.o traced.o
done
nm main.o | grep -q ' W leaf.cotree.body$' || fail 'calls do not go by name'
nm traced.o | grep -q ' T leaf.cotree.body$' || fail 'the body has no name'
judge 'callee not traced' main.o plain.o plain_traced.o
judge 'caller not traced' plain_main.o plain.o traced.o
rm -f lib.a && ar rcs lib.a traced.o
judge archive main.o plain.o lib.a
judge 'sections collected' -Wl,--gc-sections main.o plain.o traced.o
judge lld -fuse-ld=lld main.o plain.o traced.o

# Where the linker leads calls elsewhere the trace says that it does not fit, and the program is what it is.
for linker in bfd lld; do
    "clang++-$LLVM" -fuse-ld=$linker -Wl,--wrap=leaf plain_main.o plain.o plain_traced.o -o plain
    "$cotree" c++ -fcotree=trace -fuse-ld=$linker -Wl,--wrap,leaf reporter.o main.o plain.o traced.o -o named
    ./plain >plain.out
    ./named >traced.out
    cmp plain.out traced.out || fail "wrapped, $linker: another output"
    for file in named.*.cotree; do
        if "$cotree" trace ./named "$file" >said 2>&1 && ! grep -q '^  lost' said; then
            fail "wrapped, $linker: $(cat said)"
        fi
    done
    rm -f named.*.cotree* reported.*
done

# A program that defines what is taken for the C library's: calls of it from other units are not
# told apart, and the trace says so.
cat >library.c <<'C'
int isdigit(int c) { return c >= '0' && c <= '9'; }
C
cat >user.c <<'C'
int isdigit(int);
int main(void) { int n = 0; for (const char *s = "a1b2"; *s; s++) if (isdigit(*s)) n++; return n; }
C
"$cotree" cc -w -O2 -fno-builtin -fcotree=trace user.c library.c -o named
status=0
COTREE_FILE=named.cotree ./named || status=$?
[ $status = 2 ] || fail "status $status"
"$cotree" trace ./named named.cotree >said 2>&1 || :
grep -q '^  lost' said || fail "not said: $(cat said)"

# A program with allocation of its own: LLVM would take it for one that touches nothing, and streams
# call it, too.
cat >allocates.c <<'C'
#include <stddef.h>
#include <string.h>
static _Alignas(16) char heap[1 << 24];
static size_t used;
int odd;
void *malloc(size_t n)
{
    void *p = heap + used;
    if (n & 1)
        odd++;
    used += (n + 31) & ~15ul;
    return p;
}
void free(void *p)
{
    if (((size_t)p >> 4) & 1)
        odd--;
}
void *calloc(size_t a, size_t b) { return memset(malloc(a * b), 0, a * b); }
void *realloc(void *old, size_t n) { void *p = malloc(n); if (old) memcpy(p, old, n); return p; }
C
cat >uses.c <<'C'
#include <stdio.h>
#include <stdlib.h>
int more;
int work(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        if (i % 3)
            s += i;
        char *p = malloc(i % 50 + 1);
        if (i % 7 == 0)
            s ^= 5;
        p[0] = s;
        s += p[0];
        free(p);
        if (s & 1)
            more++;
    }
    return s;
}
int main(void) { printf("%d\n", work(1000)); return 0; }
C
for level in 1 2; do
    rm -f named.cotree*
    "$cotree" cc -w -O$level -fcotree=trace,every-edge uses.c allocates.c -o named
    COTREE_FILE=named.cotree ./named >/dev/null
    "$cotree" report --check-sets ./named named.cotree >said 2>&1 || fail "-O$level: $(cat said)"
    grep -q ' exact$' said || fail "-O$level: $(head -n 3 said)"
done
