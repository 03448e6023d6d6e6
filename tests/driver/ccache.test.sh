#!/usr/bin/env bash
# ccache never hands out a stale object: mode, profile, pattern lists and plugin change what is
# looked up, however ccache is put in, and a repeated compilation is a hit.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
write_sources
# A copy of the build, so that its plugin can be changed.
mkdir tree && cp -R "$COTREE_BUILD/cotree" "$COTREE_BUILD/lib" tree/ && ln -s cotree tree/cotree-cc
export PATH=$PWD/tree:$PATH CCACHE_DIR=$PWD/cache CCACHE_CONFIGPATH=/dev/null
old='2020-01-01'
touch -d $old a.c

hits() {
    ccache --print-stats |
        awk '$1 == "direct_cache_hit" || $1 == "preprocessed_cache_hit" { n += $2 } END { print n + 0 }'
}
misses() { ccache --print-stats | awk '$1 == "cache_miss" { print $2 + 0 }'; }
# is hit|miss ARG...
is() {
    local want=$1 h m; shift
    h=$(hits) m=$(misses)
    "${compile[@]}" "$@" -c a.c -o a.o
    [ "$want" = hit ] && h=$((h + 1)) || m=$((m + 1))
    [ "$(hits)" -eq $h ] && [ "$(misses)" -eq $m ] ||
        { ccache --print-stats; die "no $want: ${compile[*]} $*"; }
}
profile() { echo "$1" >profile; touch -d $old profile; }
list() { echo "$1" >list; touch -d $old list; }

round() {
    is miss; is hit
    is miss -fcotree=blocks; is hit -fcotree=blocks; is hit
    is miss -fcotree=edges,every-edge
    is miss -fcotree-placement=every-edge
    is miss -fcotree-durable; is hit -fcotree-durable
    is miss -fcotree-functions=main; is hit -fcotree-functions=main; is miss -fcotree-functions=nothing
    list 'a*'; is miss -fcotree-exclude-functions=@list; is hit -fcotree-exclude-functions=@list
    list 'b*'; is miss -fcotree-exclude-functions=@list
}
# Here the content of the profile does not matter, only that it is noticed: clang's part is played
# by a script.
use_round() {
    profile one; is miss -fcotree-use=profile; is hit -fcotree-use=profile
    profile two; is miss -fcotree-use=profile; is hit -fcotree-use=profile
}
plugin_changes() { # by a section that means nothing
    "objcopy" --add-section ".changed$1=a.c" tree/lib/cotree/plugin.so
}

cat >fake <<END
#!/bin/sh
case "\$*" in *" -E "*|"-E "*) exec $clang "\$@" ;; esac
for last; do [ "\$previous" = -o ] && output=\$last; previous=\$last; done
echo object >"\$output"
END
chmod +x fake

echo "== ccache before cotree-cc"
compile=(ccache cotree-cc)
round
export COTREE_CLANG=$PWD/fake
for mode in direct nodirect; do
    [ $mode = nodirect ] && export CCACHE_NODIRECT=1 && ccache -C >/dev/null
    use_round
done
unset COTREE_CLANG CCACHE_NODIRECT
# A new plugin is a new cotree, however ccache looks at its compiler: it holds the hash.
hash=$(sha256sum <tree/lib/cotree/plugin.so | cut -c1-16)
grep -q "$hash" tree/cotree || die "cotree does not hold the hash of its plugin"
export CCACHE_COMPILERCHECK=content
is miss; is hit
touch -r tree/cotree stamp && sed -i "s/$hash/0123456789abcdef/" tree/cotree && touch -r stamp tree/cotree
is miss; is hit
sed -i "s/0123456789abcdef/$hash/" tree/cotree
unset CCACHE_COMPILERCHECK

echo "== ccache between cotree and clang"
ccache -C >/dev/null
export COTREE_CLANG="ccache $clang"
compile=(cotree cc)
round
plugin_changes 1
is miss; is hit

# The directory is in the map, so it is part of what is looked up.
mkdir elsewhere && cp -p a.c elsewhere && cd elsewhere
is miss; is hit
is miss -g; is hit -g
