# For the builds: source it.
cotree=$COTREE_BUILD/cotree
sets=edges,every-edge
die() { echo "$*"; exit 1; }

# install_cotree: into ./prefix, as `make install` does; PATH finds it.
install_cotree() {
    make -s -C "$COTREE_TOP" install DESTDIR= PREFIX="$PWD/prefix" >install.log 2>&1 ||
        { cat install.log; die "make install fails"; }
    PATH=$PWD/prefix/bin:$PATH
}
# exact PROGRAM DATA...: the few counters of `edges` say what one on every edge says, and the report
# says `exact: true`. Sets runs.
exact() {
    "$cotree" report --check-sets --format=json -o report.json "$@" 2>report.log ||
        { head -n 5 report.log; die "cotree report fails: $*"; }
    ! grep -q 'difference: ' report.log || { head -n 5 report.log; die "counters differ: $1"; }
    jq -e '.exact and (.functions | length > 0)' report.json >/dev/null ||
        die "$1: $(jq -r '.why_not_exact | join("; ")' report.json)"
    runs=$(jq .runs report.json)
}
