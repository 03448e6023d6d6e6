#!/usr/bin/env bash
# The plugin compiles the test programs without an error of memory or arithmetic: clang with ASan
# preloaded and the plugin built with ASan and UBSan.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
. "$COTREE_TOP/tests/lib/cxx_standard.sh"
[ -e "$COTREE_BUILD/asan/plugin.so" ] || die "no $COTREE_BUILD/asan/plugin.so: run make asan"
mkdir -p tree/lib
cp "$COTREE_BUILD/cotree" tree/ && cp -R "$COTREE_BUILD/lib/cotree" tree/lib/ &&
    cp "$COTREE_BUILD/asan/plugin.so" tree/lib/cotree/
library=$($clang -print-file-name=libclang_rt.asan-x86_64.so)
[ -e "$library" ] || die "no shared library of ASan"
# clang itself leaks by design.
export COTREE_CLANG="env LD_PRELOAD=$library ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 $clang"

# It does find errors: a plugin without the preloaded library is refused by ASan.
! env COTREE_CLANG="$clang" tree/cotree cc -c "$COTREE_TOP/demo/queens.c" -o x.o >out 2>&1 ||
    die "the plugin is not sanitized"

write_sources
n=0
for source in a.c b.c c.cpp "$COTREE_TOP"/demo/*.c "$COTREE_TOP"/tests/corpus/*.c \
    "$COTREE_TOP"/tests/corpus/*.cc; do
    [ -e "$source" ] || continue
    n=$((n + 1))
    case $source in *.cc | *.cpp) command="c++ -std=$(cxx_standard "$source")" ;; *) command=cc ;; esac
    case $((n % 3)) in 0) flags='-O0 -g' ;; 1) flags=-O2 ;; *) flags='-O1 -fPIC' ;; esac
    case $source in */many-blocks.c) flags='-O0 -g' ;; esac # clang itself takes long for it at -O1
    tree/cotree $command -w $flags -fcotree=edges,blocks,every-edge,every-block "-I$COTREE_TOP/tests/corpus" \
        -c "$source" -o x.o >out 2>&1 ||
        { cat out; die "$flags $source"; }
done
# Tail calls and what is moved around them.
for source in "$COTREE_TOP"/tests/durable/*.c \
    "$COTREE_TOP"/tests/corpus/{destructors,try-without-throw}.cc; do
    case $source in *.cc) command="c++ -std=$(cxx_standard "$source")" ;; *) command=cc ;; esac
    for level in -O1 -O2; do
        tree/cotree $command -w $level -fcotree-durable -c "$source" -o x.o >out 2>&1 ||
            { cat out; die "$level -fcotree-durable $source"; }
    done
done
# Profiles are read in there, too.
cotree cc a.c b.c -o prog && ./prog >output && cotree merge prog prog.*.cotree -o merged 2>out
tree/cotree cc -fcotree-use=merged -fcotree-verbose '-fcotree-exclude-functions=x*;%' -c a.c b.c
for placement in edges blocks figure-11 knuth every-edge every-block; do
    tree/cotree cc -O2 -fcotree-placement=$placement -c "$COTREE_TOP/demo/queens.c" -o x.o
done
