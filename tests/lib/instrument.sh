# For tests of the plugin: source it.
#   plugin_cc OPTIONS ARG...   clang with the plugin loaded by hand; OPTIONS as in src/instrument/options.h
#   map_of [-g | -l] OBJECT    what the object's map says (tests/lib/map_dump.c)
llvm=${LLVM:-19}
clang=clang-$llvm
PATH=$COTREE_BUILD:$PATH
plugin=$COTREE_BUILD/lib/cotree/plugin.so
levels="-O0 -O1 -O2 -O3 -Os"

. "$COTREE_TOP/tests/lib/build_once.sh"
build_once ./map_dump "$clang" -std=gnu17 -D_GNU_SOURCE -DCOTREE_VERSION='"test"' -I"$COTREE_TOP/src" \
    "$COTREE_TOP/tests/lib/map_dump.c" "$COTREE_BUILD/libcotree.a" -lzstd -lm

plugin_cc() {
    local options=$1; shift
    "$clang" -fplugin="$plugin" -fpass-plugin="$plugin" -fno-discard-value-names -Xclang -mllvm \
        -Xclang "-cotree-options=$options" '-Rpass=^$' "$@"
}
map_of() {
    local object=${*: -1}
    objcopy -O binary --only-section=.cotree.map --set-section-flags .cotree.map=alloc "$object" "$object.map"
    ./map_dump "${@:1:$#-1}" "$object.map"
}
fail() { echo "$*"; exit 1; }
same() { cmp -s "$1" "$2" || { diff "$1" "$2" | cut -c1-300 | head -20; fail "$3"; }; }
# A function for a header of C or C++, to be inlined or not; it has a branch.
inline_parity() {
    printf '%s\n' 'inline int parity(int x)' '{' '    if (x & 1)' '        return 1;' '    return 0;' '}'
}
