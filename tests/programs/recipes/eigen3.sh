# eigen: heavy templates and numbers: LU, QR, singular values, a sparse system and a stencil, by a main program of our own.
programs=matrices
language=C++
configure() { :; }
compile() { $CXX $CXXFLAGS -I"$SRC" -o matrices "$RECIPES"/eigen3.cpp; }
inputs() { :; }
workload() { $RUN ./matrices 2 60 >out; }
failures() {
    fails operands ./matrices
    fails size ./matrices 1 -1
    ends_full full ./matrices 1 10
    for i in 1 2 3; do killed_busy busy.$i TERM ./matrices 1000000 40; done
}
