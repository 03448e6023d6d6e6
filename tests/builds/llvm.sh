# Other versions of LLVM: those of $LLVM_VERSIONS, or the oldest and the newest that cotree works with
# and Debian has. Each is installed, builds cotree, and passes the tests of instrumentation and a
# choice of those of exactness, frames, paths, traces and links.
. "$COTREE_TOP/tests/builds/lib.sh"
versions=${LLVM_VERSIONS:-16 22}
for version in $versions; do
    echo "== LLVM $version"
    LLVM=$version "$COTREE_TOP/tools/deps"
    make -s -j 2 -C "$COTREE_TOP" LLVM="$version" B="$PWD/build-$version" all \
        "$PWD/build-$version/libcotree.a"
    skip=
    # Clang 16 leaves outputs of asm goto undefined where it jumps.
    if [ "$version" = 16 ]; then skip=exact/levels-cut,exact/levels-cxx,exact/placements,paths/corpus; fi
    # clang takes the ld.lld of PATH.
    PATH=/usr/lib/llvm-$version/bin:$PATH COTREE_SKIP=$skip LLVM=$version COTREE_BUILD=$PWD/build-$version \
        "$COTREE_TOP/tests/run" 'tests/instrument/' \
        driver/links-and-runs driver/use-profile exact/placements exact/levels-cut exact/levels-cxx \
        frames/exits frames/jumps frames/throws frames/lto frames/stopped-anywhere paths/corpus \
        paths/frames-jumps \
        trace/same-counts trace/situations trace/lines-throws trace/stopped-anywhere crash/right weave/kinds
done
echo "LLVM" $versions "pass"
