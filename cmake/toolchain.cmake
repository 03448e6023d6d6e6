# CMake builds with cotree:
#
#     cmake -S . -B build --toolchain PREFIX/lib/cmake/cotree/toolchain.cmake
#
# What is asked of CMake otherwise stays: build types, generators, launchers (ccache). Checks that
# CMake makes of the compiler are compiled plainly.
get_filename_component(_cotree_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(CMAKE_C_COMPILER "${_cotree_prefix}/bin/cotree-cc")
set(CMAKE_CXX_COMPILER "${_cotree_prefix}/bin/cotree-c++")
# With clang CMake would take llvm-strip for install/strip, which removes the map of what counters
# mean; GNU strip keeps it.
find_program(CMAKE_STRIP NAMES strip)
# find_package(cotree) finds the package beside this file.
list(APPEND CMAKE_PREFIX_PATH "${_cotree_prefix}")
unset(_cotree_prefix)
