#!/usr/bin/env bash
# The same command makes the same bytes, at any time; in another directory too, if that is mapped away; what it depends on is listed
# for make.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
mkdir one two
(cd one && write_sources); (cd two && write_sources)
build() { # DIRECTORY FLAGS...
    (cd "$1" && shift && cotree cc "$@" "-ffile-prefix-map=$PWD=." -c a.c b.c && cotree c++ "$@" "-ffile-prefix-map=$PWD=." -c c.cpp &&
        cotree cc "$@" a.o b.o -o prog && cotree cc "$@" "-ffile-prefix-map=$PWD=." -fPIC -shared b.c -o libb.so)
}
for flags in -O2 '-g -O0 -fcotree=edges,every-edge'; do
    build one $flags
    TMPDIR=/var/tmp build two $flags
    for file in a.o b.o c.o prog libb.so; do cmp one/$file two/$file || die "$flags: $file differs"; done
    cp -R one first
    build one $flags
    for file in a.o b.o c.o prog libb.so; do cmp one/$file first/$file || die "$flags: $file differs when made again"; done
    rm -r first
done
cd one
cotree cc -O2 a.c b.c -o prog && cp prog first && cotree cc -O2 a.c b.c -o prog && cmp prog first

# -MD names what decides over the object beside the sources.
echo 'ab*' >list
cotree cc -fcotree-exclude-functions=@list -MD -c a.c
grep -qw list a.d && grep -qw a.c a.d
cotree cc -fcotree-exclude-functions=@list -MM a.c >deps && grep -qw list deps
