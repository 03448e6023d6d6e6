# A project of Meson's: its checks are compiled plainly, its programs, static and shared libraries
# count; its tests pass; LTO, too.
. "$COTREE_TOP/tests/builds/lib.sh"
install_cotree
mkdir project && cd project
cat >meson.build <<'END'
project('demo', 'c', 'cpp', default_options: ['buildtype=release'])
cc = meson.get_compiler('c')
assert(cc.get_id() == 'clang')
assert(cc.has_function('strdup') and not cc.has_function('no_such_function'))
assert(cc.run('int main(void) { return 3; }').returncode() == 3)
static_part = static_library('part', 'part.c')
shared_part = shared_library('shared', 'part.c')
test('one', executable('one', 'main.c', link_with: static_part))
test('two', executable('two', 'main.c', link_with: shared_part))
test('three', executable('three', 'three.cpp'))
END
echo 'int part(int x) { return x > 2 ? 2 * x : x; }' >part.c
printf '%s\n' '#include <stdlib.h>' 'int part(int x);' 'int main(void)' '{' '    int s = 0;' \
    '    for (int i = 0; i < 10; i++)' '        s += part(i);' '    if (s > 5)' \
    '        exit(0);' '    return s;' '}' >main.c
printf '%s\n' '#include <stdexcept>' '#include <vector>' 'int main()' '{' '    try {' \
    '        return std::vector<int>(3).at(5);' '    } catch (std::out_of_range &) {' \
    '        return 0;' '    }' '}' >three.cpp
cd ..
for lto in false true; do
    AR=llvm-ar-${LLVM:-19} CC=cotree-cc CXX=cotree-c++ CFLAGS=-fcotree=$sets CXXFLAGS=-fcotree=$sets meson \
        setup built-$lto project -Db_lto=$lto
    [ -z "$(find built-$lto -name '*.cotree')" ] || die "a check of Meson's left data"
    ninja -C built-$lto
    COTREE_FILE="$PWD/built-$lto/%e.%p.cotree" meson test -C built-$lto
    for program in one two three; do exact built-$lto/$program built-$lto/$program.*.cotree; done
done
echo "three programs, with and without LTO, are exact"

# What Meson builds carries, and weaves to what it builds without (static library, shared one, C++).
. "$COTREE_TOP/tests/lib/weave.sh"
for flags in -fcotree-carry -fcotree; do
    options="$flags -ffile-prefix-map=$PWD/carried$flags=."
    CC=cotree-cc CXX=cotree-c++ CFLAGS=$options CXXFLAGS=$options meson setup "carried$flags" project
    ninja -C "carried$flags"
done
for program in one two three libshared.so; do
    carries "carried-fcotree-carry/$program" || die "$program: carries nothing"
    cotree weave "carried-fcotree-carry/$program" -fcotree=edges -o woven
    same_program woven "carried-fcotree/$program" || die "$program: woven is not what Meson builds"
done
echo "four files carry, and weave to what the source gives"
