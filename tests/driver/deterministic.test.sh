#!/usr/bin/env bash
# The same command makes the same bytes, at any time; in another directory too, if that is mapped
# away; what it depends on is listed for make.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
mkdir one two
(cd one && write_sources); (cd two && write_sources)
build() { # DIRECTORY FLAGS...
    (cd "$1" && shift && cotree cc "$@" "-ffile-prefix-map=$PWD=." -c a.c b.c &&
        cotree c++ "$@" "-ffile-prefix-map=$PWD=." -c c.cpp &&
        cotree cc "$@" a.o b.o -o prog &&
        cotree cc "$@" "-ffile-prefix-map=$PWD=." -fPIC -shared b.c -o libb.so)
}
same() { # WHAT DIRECTORY DIRECTORY
    for file in a.o b.o c.o prog libb.so; do cmp "$2/$file" "$3/$file" || die "$1: $file differs"; done
}
for flags in -O2 -g -O0 '-O2 -fPIC' '-O1 -fno-lto' '-g -O0 -fcotree=edges,every-edge' \
    '-O2 -fcotree=every-edge,edges' '-O2 -fcotree-use=../profile' \
    '-O2 -fcotree=blocks -fcotree-placement=knuth' '-O2 -fcotree-durable'; do
    build one $flags
    TMPDIR=/var/tmp build two $flags
    same "$flags" one two
    case $flags in *every-edge,edges) # what the last set uses
        (cd one && COTREE_FILE=run.cotree ./prog >output && cotree merge -q prog run.cotree -o ../profile &&
            rm run.cotree) ;;
    esac
done
cp -R one first
build one $flags
same "made again, $flags" one first
# Passes delete loads and make others at addresses that differ from run to run: places must not
# depend on that.
for i in 1 2 3 4 5; do
    cotree c++ -O2 -c "$COTREE_TOP/tests/corpus/lambdas.cc" -o lambdas.$i.o
    cmp lambdas.1.o lambdas.$i.o || die "lambdas.cc, compiled $i times: another object"
done
cd one
cotree cc -O2 a.c b.c -o prog && cp prog before && cotree cc -O2 a.c b.c -o prog && cmp prog before

# -MD names what decides over the object beside the sources.
echo 'ab*' >list
cotree cc -fcotree-exclude-functions=@list -MD -c a.c
grep -qw list a.d && grep -qw a.c a.d
cotree cc -fcotree-exclude-functions=@list -MM a.c >deps && grep -qw list deps
