#!/usr/bin/env bash
# `make install` gives a working cotree anywhere, man pages included; `make uninstall` takes all of
# it away again.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
write_sources
to=$PWD/root
[ "$COTREE_BUILD" = "$COTREE_TOP/build" ] || { echo "skipped: only for the main build"; exit 77; }
make -s -C "$COTREE_TOP" install DESTDIR="$to" PREFIX=/opt/cotree >log 2>&1 || { cat log; exit 1; }
PATH=$to/opt/cotree/bin:/usr/bin:/bin
[ "$(command -v cotree)" = "$to/opt/cotree/bin/cotree" ]
[ -s "$to/opt/cotree/share/man/man1/cotree.1" ] && [ -s "$to/opt/cotree/share/man/man1/cotree-c++.1" ]
[ -s "$to/opt/cotree/include/cotree.h" ]
has "$(steps_of cotree cc -c a.c)" "$to/opt/cotree/lib/cotree/plugin.so"
cotree-cc -O2 a.c b.c -o prog && leaves ./prog
# called through a link from elsewhere
mkdir bin && ln -s "$to/opt/cotree/bin/cotree" bin/cotree-cc
bin/cotree-cc -O2 a.c b.c -o prog2 && leaves ./prog2
make -s -C "$COTREE_TOP" uninstall DESTDIR="$to" PREFIX=/opt/cotree
[ -z "$(find "$to" ! -type d)" ] || { find "$to" ! -type d; die "something is left"; }
