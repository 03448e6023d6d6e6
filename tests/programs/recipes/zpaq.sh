# zpaq: a compressor whose models are programs that it interprets (it would also compile them; here it must not), used by a main program of our own.
programs=pack
language=C++
configure() { :; }
compile() { $CXX $CXXFLAGS -DNOJIT -Dunix -I"$SRC" -o pack "$RECIPES"/zpaq.cpp "$SRC"/libzpaq.cpp -lpthread; }
inputs() { head -c 12000 "$SRC"/zpaq.cpp >text; }
workload() {
    $RUN ./pack 2 text >out.2
    $RUN ./pack 3 text >out.3
    $RUN ./pack 1 text >out.1
}
failures() {
    fails missing ./pack 1 nowhere
    fails method ./pack xc999 text
    fails damaged ./pack 2 text damaged
    cat text text text text text text text text >long
    for i in 1 2 3; do killed_busy busy.$i TERM ./pack 5 long; done
}
