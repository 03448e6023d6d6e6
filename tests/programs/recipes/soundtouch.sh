# soundtouch: sound is made, played faster, slower and higher, and its beat is looked for, by a main program of our own.
programs=stretch
language=C++
configure() { :; }
compile() {
    $CXX $CXXFLAGS -I"$SRC"/include -o stretch "$RECIPES"/soundtouch.cpp "$SRC"/source/SoundTouch/*.cpp
}
inputs() { :; }
workload() { $RUN ./stretch 6 >out; }
failures() {
    fails operands ./stretch
    fails channels ./stretch 1 99
    fails_full full ./stretch 1
    for i in 1 2 3; do killed_busy busy.$i TERM ./stretch 1000000; done
}
