#!/usr/bin/env bash
# The toolchain file that `make install` brings makes a CMake project count, find_package(cotree)
# finds the header, and a stripped install keeps the map.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
[ "$COTREE_BUILD" = "$COTREE_TOP/build" ] || { echo "skipped: only for the main build"; exit 77; }
make -s -C "$COTREE_TOP" install DESTDIR="$PWD" PREFIX=/prefix >log 2>&1 || { cat log; exit 1; }
write_sources
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.16)
project(demo C)
find_package(cotree REQUIRED)
add_library(part SHARED b.c)
add_executable(one a.c d.c)
target_link_libraries(one part cotree::cotree)
install(TARGETS one part RUNTIME DESTINATION bin LIBRARY DESTINATION lib)
END
printf '#include <cotree.h>\nint dumped(void) { return cotree_dump("/dev/null/none"); }\n' >d.c
PATH=/usr/bin:/bin
cmake -S . -B built --toolchain "$PWD/prefix/lib/cmake/cotree/toolchain.cmake" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_INSTALL_PREFIX="$PWD/to" \
    -DCMAKE_INSTALL_RPATH="$PWD/to/lib" >log 2>&1 || { cat log; exit 1; }
[ -z "$(find built -name '*.cotree')" ] || die "a check left data"
cmake --build built >log 2>&1 || { cat log; exit 1; }
cmake --install built --strip >log 2>&1 || { cat log; exit 1; }
for file in to/bin/one to/lib/libpart.so; do
    counts $file || die "$file does not count"
    ! readelf -SW $file | grep -q '\.symtab' || die "$file is not stripped"
done
PATH=$PWD/prefix/bin:$PATH
leaves to/bin/one
