#!/usr/bin/env bash
# CMake's checks are compiled plainly, its targets count: executables, static and shared libraries,
# C and C++, Release and Debug.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
mkdir project && cd project
write_sources
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.16)
project(demo C CXX)
include(CheckCSourceRuns)
include(CheckFunctionExists)
include(CheckCCompilerFlag)
include(CheckIPOSupported)
check_c_source_runs("int main(void) { return 0; }" RUNS)
check_function_exists(strdup HAVE_STRDUP)
check_function_exists(no_such_function HAVE_NONSENSE)
check_c_compiler_flag(-Wall HAVE_WALL)
check_ipo_supported(RESULT HAVE_IPO OUTPUT why)
if(NOT RUNS OR NOT HAVE_STRDUP OR HAVE_NONSENSE OR NOT HAVE_WALL)
  message(FATAL_ERROR "wrong answers: ${RUNS} ${HAVE_STRDUP} ${HAVE_NONSENSE} ${HAVE_WALL}")
endif()
if(NOT CMAKE_C_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "not clang: ${CMAKE_C_COMPILER_ID}")
endif()
add_library(static_b STATIC b.c)
add_library(shared_b SHARED b.c)
add_executable(one a.c)
target_link_libraries(one static_b)
add_executable(two a.c)
target_link_libraries(two shared_b)
add_executable(three c.cpp)
END
for type in Release Debug; do
    cmake -S . -B ../$type -DCMAKE_BUILD_TYPE=$type -DCMAKE_C_COMPILER=cotree-cc \
        -DCMAKE_CXX_COMPILER=cotree-c++ >log 2>&1 || { cat log; exit 1; }
    [ -z "$(find ../$type -name '*.cotree')" ] || die "a check left data: $(find ../$type -name '*.cotree')"
    for file in $(find ../$type/CMakeFiles -name '*.o' -o -name a.out -o -name '*.bin'); do
        ! counts "$file" || die "a check counts: $file"
    done
    cmake --build ../$type >log 2>&1 || { cat log; exit 1; }
    cd ../$type
    for file in one two three libshared_b.so; do counts $file || die "$file does not count"; done
    leaves ./one
    leaves ./two
    leaves ./three
    cd ../project
done
