# clipper: polygons are cut with each other, grown and simplified by a main program of our own.
programs=cut
language=C++
configure() { :; }
compile() { $CXX $CXXFLAGS -I"$SRC"/cpp -o cut "$RECIPES"/libpolyclipping.cpp "$SRC"/cpp/clipper.cpp; }
inputs() { :; }
workload() { $RUN ./cut 4 >out; }
failures() {
    fails operands ./cut
    fails range ./cut 1 9000000000000000000
    fails_full full ./cut 1
    for i in 1 2 3; do killed_busy busy.$i TERM ./cut 1000000; done
}
