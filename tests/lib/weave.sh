# What tests of `cotree weave` share.
export PATH="$COTREE_BUILD:$PATH"
die() {
    echo "$*"
    exit 1
}
# same_program A B: equal in every section, but for what they carry.
same_program() {
    objcopy -R .cotree.ir -R .cotree.link "$1" "$1.bare"
    objcopy -R .cotree.ir -R .cotree.link "$2" "$2.bare"
    cmp "$1.bare" "$2.bare"
}
# carries FILE: it has both sections.
carries() { [ "$(readelf -SW "$1" | grep -cE ' \.cotree\.(ir|link) ')" -eq 2 ]; }
