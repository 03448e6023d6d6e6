# Debian packages, built by dpkg-buildpackage with CC and CXX set: hardened, stripped, their tests
# run; the installed program counts, and its data is read with the help of the unstripped copy (or,
# since GNU strip keeps the map, without).
# sources: gzip lzip
. "$COTREE_TOP/tests/builds/lib.sh"
install_cotree
export CC="cotree-cc -fcotree=$sets" CXX="cotree-c++ -fcotree=$sets" DEB_BUILD_OPTIONS="parallel=2"
# Debian's dwz does not know what clang writes by itself
export DEB_CFLAGS_APPEND=-gdwarf-4 DEB_CXXFLAGS_APPEND=-gdwarf-4
for name in gzip lzip; do
    cp -r "$SOURCES/$name" $name
    mkdir $name.data
    # Its own tests are run by the build: what they leave is counted, too.
    (cd $name && COTREE_FILE="$PWD/../$name.data/pool.%m.cotree" dpkg-buildpackage -d -B -us -uc)
    dpkg-deb -x "$(ls ${name}_*_amd64.deb)" $name.installed
done
# Debian's gzip hands CC to configure, and so does lzip's.
for program in gzip.installed/bin/gzip lzip.installed/usr/bin/lzip; do
    [ -x "$program" ] ||
        program=$(find "${program%%/*}" -type f -name "${program##*/}*" -perm -u+x | head -n 1)
    readelf -SW "$program" | grep -q '\.cotree\.map' || die "$program does not count"
    readelf -lW "$program" | grep -q GNU_RELRO || die "$program is not hardened"
    for i in 1 2 3; do
        COTREE_FILE="$PWD/own.%p.cotree" "$program" -9 -c "$COTREE_TOP/README.md" >packed.$i
        COTREE_FILE="$PWD/own.%p.cotree" "$program" -dc packed.$i | cmp - "$COTREE_TOP/README.md"
    done
    exact "$program" own.*.cotree
    rm own.*.cotree
done
echo "gzip and lzip: packages built, hardened and exact in $runs runs"
