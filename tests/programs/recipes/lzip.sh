# lzip (C++): compress, test and decompress.
programs=lzip
configure() { "$SRC"/configure CXX="$CXX" CXXFLAGS="$CFLAGS"; }
compile() { make CXX="$CXX" CXXFLAGS="$CFLAGS"; }
inputs() { cat "$SRC"/*.cc "$SRC"/*.h "$SRC"/doc/* "$SRC"/ChangeLog "$SRC"/testsuite/test.txt "$SRC"/configure >text; }
workload() {
    $RUN ./lzip -6 -c text >text.lz
    $RUN ./lzip -t text.lz
    $RUN ./lzip -0 -c text >text.0.lz
    $RUN ./lzip -dc text.0.lz >text.out
    cmp text text.out
}
own_tests() { make check CXX="$CXX" CXXFLAGS="$CFLAGS"; }
