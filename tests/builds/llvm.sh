# Other versions of LLVM: those of $LLVM_VERSIONS, or all that are installed with their headers, build cotree and pass tests of the plugin, the driver and
# the places of frames.
. "$COTREE_TOP/tests/builds/lib.sh"
versions=${LLVM_VERSIONS:-$(for v in 16 17 18 20 21 22 23; do [ -e "/usr/lib/llvm-$v/include/llvm/Config/llvm-config.h" ] && [ -x "$(command -v "clang-$v")" ] && echo $v; done)}
[ -n "$versions" ] || { echo "no other version of LLVM is installed: LLVM=NN tools/deps installs one"; exit 0; }
for version in $versions; do
    echo "== LLVM $version"
    make -s -j 2 -C "$COTREE_TOP" LLVM="$version" B="$PWD/build-$version" all "$PWD/build-$version/libcotree.a"
    LLVM=$version COTREE_BUILD=$PWD/build-$version "$COTREE_TOP/tests/run" driver/links-and-runs instrument/object instrument/debug-information \
        instrument/one-instruction frames/exits frames/jumps frames/throws frames/lto exact/placements
done
echo "LLVM" $versions "pass"
