#!/usr/bin/env bash
# Without clang there is one line that says what to install; COTREE_CLANG names another, as words.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
write_sources
refuses 1 "COTREE_CLANG: cannot find 'no-such-clang'" env COTREE_CLANG=no-such-clang cotree cc -c a.c
refuses 1 "COTREE_CLANG: cannot find '/no/such/clang'" env COTREE_CLANG='/no/such/clang -v' cotree cc -c a.c

# clang-NN neither in PATH nor in Debian's place: a copy of cotree that was built for an LLVM nobody has.
sources=$(ls "$COTREE_TOP"/src/cli/*.c)
echo 'const char cotree_plugin_hash[] = "none";' >hash.c
$clang -std=gnu17 -D_GNU_SOURCE -I"$COTREE_TOP/src" -DCOTREE_VERSION='"0"' -DCOTREE_LLVM='"99"' $sources \
    hash.c \
    "$COTREE_BUILD/libcotree.a" -ldw -lelf -lzstd -lm -l:libstdc++.a -o cotree-99
refuses 1 "cannot find clang-99: install it" ./cotree-99 cc -E a.c

# Plugin and runtime missing: the program was copied without them.
cp "$COTREE_BUILD/cotree" alone
refuses 1 "cannot find lib/cotree/plugin.so" ./alone cc -c a.c
./alone cc -E a.c >a.i

# Words before clang are kept apart, quotes too.
mkdir 'a b'
printf '#!/bin/sh\necho "[$@]"\n' >'a b/launch'
chmod +x 'a b/launch'
[ "$(COTREE_CLANG='"a b/launch" one two' cotree cc -E x.c)" = '[one two -E x.c]' ]
