# snappy: a compressor; a main program of our own packs and unpacks a text in pieces.
programs=pack
language=C++
configure() {
    sed 's/\${HAVE_SYS_UIO_H_01}/1/; s/\${PROJECT_VERSION_[A-Z]*}/1/' "$SRC"/snappy-stubs-public.h.in \
        >snappy-stubs-public.h
}
compile() {
    $CXX $CXXFLAGS -DHAVE_BUILTIN_CTZ=1 -DHAVE_BUILTIN_EXPECT=1 -I. -I"$SRC" -o pack "$RECIPES"/snappy.cpp \
        "$SRC"/snappy.cc "$SRC"/snappy-s*.cc
}
inputs() { cat "$SRC"/*.cc "$SRC"/*.h "$SRC"/*.md >text; head -c 5000 /dev/zero >zeros; }
workload() {
    $RUN ./pack 25 text >out.1
    $RUN ./pack 200 zeros >out.2
}
failures() {
    fails missing ./pack 1 nowhere
    fails damaged ./pack 1 text damaged
    fails operands ./pack 1
    fails_full full ./pack 1 text
    for i in 1 2 3; do killed_busy busy.$i TERM ./pack 1000000 text; done
}
