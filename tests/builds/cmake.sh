# zlib by its own CMakeLists.txt, with the toolchain file that `make install` brings: configured, built, tested by ctest and installed stripped.
# sources: zlib
. "$COTREE_TOP/tests/builds/lib.sh"
install_cotree
toolchain=$PWD/prefix/lib/cmake/cotree/toolchain.cmake
cp -r "$SOURCES/zlib" zlib
cmake -S zlib -B built --toolchain "$toolchain" -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS=-fcotree=$sets -DCMAKE_INSTALL_PREFIX="$PWD/to"
[ -z "$(find built -name '*.cotree')" ] || die "a check of CMake's left data"
cmake --build built -j 2
export COTREE_FILE=$PWD/%e.%p.cotree
(cd built && ctest)
exact built/example example.*.cotree
cmake --install built --strip
readelf -SW to/lib/libz.so.*.* | grep -q '\.cotree\.map' || die "the stripped library has lost its map"
echo "zlib: CMake's example is exact in $runs runs"
