#!/usr/bin/env bash
# What Meson compiles in its meson-private directory, and CMake in its scratch directories, is
# compiled plainly, named either way.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
source='int main(void) { return 0; }'
for place in build/meson-private build/meson-private/tmp1x2 build/CMakeFiles/CMakeTmp \
    build/CMakeFiles/CMakeScratch/TryCompile-a \
    build/CMakeFiles/3.25.1/CompilerIdC build/CMakeFiles/_CMakeLTOTest-C/src; do
    mkdir -p "$place"
    echo "$source" >"$place/testfile.c"
    echo "$source" >elsewhere.c
    hasnt "$(steps_of cotree cc -c "$PWD/$place/testfile.c")" plugin.so   # an absolute name
    hasnt "$(steps_of cotree cc -c "$place/testfile.c")" plugin.so        # a relative one
    (cd "$place" && hasnt "$(steps_of cotree cc -c testfile.c)" plugin.so)      # from there
    (cd "$place" && hasnt "$(steps_of cotree cc -c ../../../elsewhere.c)" plugin.so) # CMake's own sources
done
# ... and nothing else is: names that only look alike.
mkdir -p my-meson-private CMakeFiles/prog.dir src/conftest
for file in my-meson-private/x.c CMakeFiles/prog.dir/x.c src/conftest/x.c myconftest.c; do
    echo "$source" >$file
    has "$(steps_of cotree cc -c $file)" plugin.so
done
