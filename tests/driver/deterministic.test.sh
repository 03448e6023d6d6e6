#!/usr/bin/env bash
# The same command makes the same bytes, in any directory and at any time; what it depends on is listed for make.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
mkdir one two
(cd one && write_sources); (cd two && write_sources)
for flags in -O0 -O2 '-O2 -fPIC' '-O2 -fcotree=edges,every-edge' '-g -O1 -ffile-prefix-map=/=/x'; do
    prefix=
    case $flags in *-g*) prefix="-ffile-prefix-map=$PWD/one=. -ffile-prefix-map=$PWD/two=." ;; esac
    (cd one && cotree cc $flags $prefix -c a.c b.c && cotree c++ $flags $prefix -c c.cpp && cotree cc $flags a.o b.o -o prog)
    (cd two && TMPDIR=/var/tmp cotree cc $flags $prefix -c a.c b.c && cotree c++ $flags $prefix -c c.cpp && cotree cc $flags a.o b.o -o prog)
    case $flags in *-g*) continue ;; esac # the prefixes differ, so do the options recorded
    for file in a.o b.o c.o prog; do cmp one/$file two/$file || die "$flags: $file differs"; done
done
cd one
cotree cc -O2 a.c b.c -o prog && cp prog first && cotree cc -O2 a.c b.c -o prog && cmp prog first

# -MD names what decides over the object beside the sources.
echo 'ab*' >list
cotree cc -fcotree-exclude-functions=@list -MD -c a.c
grep -qw list a.d && grep -qw a.c a.d
cotree cc -fcotree-exclude-functions=@list -MM a.c >deps && grep -qw list deps
