# fmt: values of many kinds are formatted by a main program of our own. Templates; wrong formats are exceptions.
programs=format
language=C++
configure() { :; }
compile() {
    $CXX $CXXFLAGS -I"$SRC"/include -o format "$RECIPES"/fmtlib.cpp "$SRC"/src/format.cc "$SRC"/src/os.cc
}
inputs() {
    printf '%s\n' '{:>12}|{:<8.3f}|{}' '{2}-{0:x}-{1:e}' '{:d} {:d}' '{0:#b} {0:o} {0:+}' \
        '{:*^20} {:g} {:?}' '{' '{:%}' '{9}' '{:08} {:a} {:.2}' >formats
}
workload() { $RUN ./format 3000 formats >out; }
failures() {
    fails operands ./format
    fails missing ./format 1 nowhere
    fails uncaught ./format 1 formats uncaught
    fails_full full ./format 100 formats
    cut_off cut ./format 100000 formats
    for i in 1 2 3; do killed_busy busy.$i TERM ./format 100000000 formats; done
}
