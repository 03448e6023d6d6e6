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
echo "lz4, stripped: exact in $runs runs"
