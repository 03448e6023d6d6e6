# ann: nearest neighbours in trees of points, found by a main program of our own. Virtual calls.
programs=nearest
language=C++
configure() { :; }
compile() { $CXX $CXXFLAGS -std=gnu++14 -w -I"$SRC"/include -o nearest "$RECIPES"/ann.cpp "$SRC"/src/*.cpp; }
inputs() { :; }
workload() { $RUN ./nearest 2 >out; }
failures() {
    fails operands ./nearest
    fails many ./nearest 1 100000
    fails_full full ./nearest 1
    for i in 1 2 3; do killed_busy busy.$i TERM ./nearest 1000000; done
}
