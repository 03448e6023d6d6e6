# lodepng: pictures are made, written as PNG and read again by a main program of our own.
programs=picture
language=C++
configure() { :; }
compile() { $CXX $CXXFLAGS -I"$SRC" -o picture "$RECIPES"/lodepng.cpp "$SRC"/lodepng.cpp; }
inputs() { :; }
workload() { $RUN ./picture 2 >out; }
failures() {
    fails operands ./picture
    fails damaged ./picture 1 damaged
    fails_full full ./picture 1
    for i in 1 2 3; do killed_busy busy.$i TERM ./picture 1000000; done
}
