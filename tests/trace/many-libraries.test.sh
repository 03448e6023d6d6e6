#!/usr/bin/env bash
# Traced libraries take little static thread-local storage: a traced program loads forty of them, a
# plain one at least sixteen.
set -eu
cotree=$COTREE_BUILD/cotree
fail() { echo "$*" >&2; exit 1; }
cat >lib.c <<'C'
int f(int i) { int s = 0; for (int k = 0; k < i; k++) if (k & 1) s += k; return s; }
C
cat >main.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
    int loaded = 0;
    char name[40];
    for (int i = 0; i < 40; i++) {
        sprintf(name, "./lib%d.so", i);
        void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        int (*f)(int) = library ? (int (*)(int))dlsym(library, "f") : NULL;
        loaded += f && f(10) == 25;
    }
    printf("%d\n", loaded);
    return 0;
}
C
"$cotree" cc -O2 -fcotree=trace -fPIC -shared lib.c -o lib0.so
for i in $(seq 1 39); do cp lib0.so lib$i.so; done
"clang-$LLVM" main.c -o plain -ldl
"$cotree" cc -O2 -fcotree=trace main.c -o traced -ldl
got=$(./traced); [ "$got" = 40 ] || fail "a traced program: $got of 40"
got=$(./plain); [ "$got" -ge 16 ] || fail "a plain program: $got of 40"
