# lz4 by its own CMakeLists.txt, with the toolchain file that `make install` brings: configured,
# built and installed stripped; program and library are exact.
# sources: lz4
. "$COTREE_TOP/tests/builds/lib.sh"
install_cotree
cp -r "$SOURCES/lz4" lz4
cmake -S lz4/build/cmake -B built --toolchain "$PWD/prefix/lib/cmake/cotree/toolchain.cmake" \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS=-fcotree=$sets \
    -DBUILD_SHARED_LIBS=ON -DLZ4_BUNDLED_MODE=OFF -DCMAKE_INSTALL_PREFIX="$PWD/to" -DCMAKE_INSTALL_LIBDIR=lib
[ -z "$(find built -name '*.cotree')" ] || die "a check of CMake's left data"
cmake --build built -j 2
cmake --install built --strip
export COTREE_FILE=$PWD/%e.%p.cotree LD_LIBRARY_PATH=$PWD/to/lib
for level in 1 9; do
    to/bin/lz4 -q -$level "$COTREE_TOP/README.md" packed.$level
    to/bin/lz4 -q -d packed.$level - | cmp - "$COTREE_TOP/README.md"
done
! to/bin/lz4 -q -d "$COTREE_TOP/README.md" - || die "text was taken for a packed file"
exact to/bin/lz4 lz4.*.cotree
for file in to/bin/lz4 to/lib/liblz4.so.*.*; do
    readelf -SW "$file" | grep -q '\.cotree\.map' || die "stripping took the map of $file"
done

# What CMake builds carries, and weaves to what it builds without; in one folder, since assertions and
# the places of libraries name it. (CMake uses lz4 itself.)
unset LD_LIBRARY_PATH COTREE_FILE
. "$COTREE_TOP/tests/lib/weave.sh"
for variant in -fcotree-carry -fcotree=edges -fcotree=none; do
    rm -rf built
    cmake -S lz4/build/cmake -B built --toolchain "$PWD/prefix/lib/cmake/cotree/toolchain.cmake" \
        -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_FLAGS=$variant -DBUILD_SHARED_LIBS=ON \
        -DLZ4_BUNDLED_MODE=OFF
    cmake --build built -j 2
    mkdir "kept$variant"
    cp built/lz4 built/liblz4.so.*.* "kept$variant"
done
for file in kept-fcotree-carry/lz4 kept-fcotree-carry/liblz4.so.*.*; do
    carries "$file" || die "$file: carries nothing"
    for variant in -fcotree=edges -fcotree=none; do
        cotree weave "$file" $variant -o woven
        same_program woven "kept$variant/${file##*/}" || die "$file $variant: woven is another program"
    done
done
echo "lz4, stripped: exact in $runs runs; program and library carry, and weave to what the source gives"
