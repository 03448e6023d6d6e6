# box2d: a pyramid of boxes and balls on ropes fall, simulated by a main program of our own. Virtual calls, numbers.
programs=fall
language=C++
configure() { :; }
compile() { $CXX $CXXFLAGS -I"$SRC"/include -I"$SRC"/src -o fall "$RECIPES"/box2d.cpp "$SRC"/src/*/*.cpp; }
inputs() { :; }
workload() { $RUN ./fall 150 >out; }
failures() {
    fails operands ./fall
    fails gone ./fall 20 gone
    fails_full full ./fall 20
    cut_off cut ./fall 1000000
    for i in 1 2 3; do killed_busy busy.$i TERM ./fall 100000000; done
}
