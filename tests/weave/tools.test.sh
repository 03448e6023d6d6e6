#!/usr/bin/env bash
# Builds by CMake and ccache carry as plain ones do.
set -eu
. "$COTREE_TOP/tests/lib/weave.sh"
mkdir source
echo 'int helper(int x) { int s = 0; while (x > 0) s += x-- & 3; return s; }' >source/helper.c
echo 'int helper(int); int main(int argc, char **argv) { (void)argv; return helper(argc) > 99; }' \
    >source/main.c
cat >source/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.10)
project(prog C)
add_library(helper STATIC helper.c)
add_executable(prog main.c)
target_link_libraries(prog helper)
END
compare() { # NAME CARRYING SOURCE: the second counts edges, as the first does
    carries "$2" || die "$1: carries nothing"
    same_program "$2" "$3" || die "$1: -fcotree-carry has changed the program"
    cotree weave "$2" -fcotree=edges -o woven || die "$1: cannot be woven"
    same_program woven "$3" || die "$1: woven is not what the source gives"
}
for flags in -fcotree-carry -fcotree; do
    cmake -S source -B "cmake$flags" -DCMAKE_C_COMPILER="$COTREE_BUILD/cotree-cc" \
        -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS="$flags -ffile-prefix-map=$PWD/cmake$flags=." >log 2>&1 &&
        cmake --build "cmake$flags" >>log 2>&1 || { cat log && exit 1; }
done
compare CMake cmake-fcotree-carry/prog cmake-fcotree/prog

# The folder that a program was built in is nowhere in it if it is mapped, however sources are named.
for place in here/source there/and/deeper; do
    mkdir -p $place && cp source/*.c $place
    (cd $place && map="-ffile-prefix-map=$PWD=." && cotree cc -O2 -g -fcotree-carry "$map" -c "$PWD/helper.c" && ar rcsD libhelper.a helper.o &&
        cotree cc -O2 -g -fcotree-carry "$map" -fcotree=trace "$PWD/main.c" -L"$PWD" -lhelper -o prog) || die "$place: cannot be built"
done
cmp here/source/prog there/and/deeper/prog || die "the same sources in another folder make other bytes"
! cotree weave here/source/prog --list | grep "$PWD" || die "the list names the builder's folder"

export CCACHE_DIR=$PWD/cache
for round in 1 2; do
    for file in main helper; do ccache cotree-cc -O2 -fcotree-carry -c source/$file.c -o $file.o; done
    cotree-cc -fcotree-carry main.o helper.o -o ccached.$round
done
cmp ccached.1 ccached.2 || die "ccache: another program from the cache"
cotree-cc -O2 source/main.c source/helper.c -o source/prog
compare ccache ccached.2 source/prog
