#!/usr/bin/env bash
# `make check-weave`: woven equals built from source, for every variant at every level, on real
# programs: `tests/weave/matrix.sh [NAME...]`. Two programs that carry are compared in every section
# but what they carry. Prints a line for each comparison, and one for each file that differs.
#
# COTREE_LEVELS="-O2" and COTREE_VARIANTS="-fcotree=trace ..." narrow it (a word each).
set -u
. "$(cd "$(dirname "$0")" && pwd)/../programs/lib.sh"
cotree=$COTREE_BUILD/cotree
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
mkdir "$work/tools"
for tool in ar nm ranlib; do ln -s "$(command -v "llvm-$tool-$LLVM")" "$work/tools/$tool"; done
[ $# -gt 0 ] || set -- gzip lua5.4 gperf xz-utils sqlite3
read -ra levels <<<"${COTREE_LEVELS:--O0 -O2 -O3 -Os -O2,-g -O2,-flto}"
read -ra variants <<<"${COTREE_VARIANTS:--fcotree=none -fcotree=edges -fcotree=paths -fcotree=trace -fcotree=paths,-fcotree-paths=group:1/4 -fcotree-durable}"

# build NAME DIR FLAGS OPTIONS: compiles a copy of the configured tree; DIR gets the programs.
build() {
    local options=$4 PATH=$PATH
    # Archives of bitcode, whatever program the makefile makes archives with, and links of it, whatever
    # words it links with.
    case $3 in *-flto*) PATH=$work/tools:$PATH options="$options -flto" ;; esac
    rm -rf "$work/tree" "$2" && cp -a "$work/configured" "$work/tree" && mkdir -p "$2" || return
    # libtool links with the compiler that it was configured for.
    [ ! -e "$work/tree/libtool" ] || sed -i "s|^CC=.*|CC=\"$cotree cc $options\"|" "$work/tree/libtool"
    (cd "$work/tree" && CC="$cotree cc $options" CXX="$cotree c++ $options" CFLAGS=$3 CXXFLAGS=$3 \
        MAKEFLAGS="CC=$(make_word "$cotree cc $options") CXX=$(make_word "$cotree c++ $options")" in_recipe \
        "$1" compile) >"$2.log" 2>&1 </dev/null || return
    # The shared libraries of the tree, too; what libtool links with them is not where it seems to be.
    (cd "$work/tree" && for file in $(program_files "$1"); do
        [ ! -e "${file%/*}/.libs/${file##*/}" ] || file=${file%/*}/.libs/${file##*/}
        cp "$file" "$2"
    done && find . -name '*.so.*' -path '*/.libs/*' -type f -exec cp {} "$2" \;)
}
# configure NAME DIR: as the recipe does; xz-utils with its shared library.
configure() {
    program_configure "$1" "$2" "$CLANG" "clang++-$LLVM" || return
    [ "$1" != xz-utils ] || (cd "$2" &&
        eval "$PROGRAMS_CACHE/src/$1/configure $(./config.status --config) --enable-shared --disable-static") \
        >>"$2.log" 2>&1
}
bare() { objcopy -R .cotree.ir -R .cotree.link "$1" "$2"; }
complain() { echo "$*" && failed=1; }

# compare NAME FLAGS VARIANT: all that was built.
compare() {
    local file variant=${3//,-/ -} same=same
    build "$1" "$work/source" "$2" "$variant" || { complain "$1 $2 $variant: cannot be built"; return; }
    for file in "$work"/carrying/*; do
        # shellcheck disable=SC2086 # the variant is several words
        if ! "$cotree" weave "$file" $variant -o "$work/woven" 2>"$work/message"; then
            complain "$1 ${file##*/} $2 $variant: $(head -1 "$work/message")"
            same=refused
            continue
        fi
        bare "$work/woven" "$work/woven.bare" && bare "$work/source/${file##*/}" "$work/source.bare"
        cmp -s "$work/woven.bare" "$work/source.bare" || { complain "$1 ${file##*/} $2 $variant: differs" &&
            same=differs; }
    done
    printf '%-10s %-10s %-45s %s\n' "$1" "$2" "$variant" "$same"
}
for name; do
    "$PROGRAMS_TOP/tests/programs/fetch" "$name" >/dev/null ||
        { complain "$name: cannot be fetched"; continue; }
    configure "$name" "$work/configured" || { complain "$name: cannot be configured"; continue; }
    for level in "${levels[@]}"; do
        flags=${level//,-/ -}
        build "$name" "$work/carrying" "$flags" -fcotree-carry ||
            { complain "$name $flags: cannot be built"; continue; }
        for variant in "${variants[@]}"; do compare "$name" "$flags" "$variant"; done
    done
done
exit $failed
