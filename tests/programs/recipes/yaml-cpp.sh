# yaml-cpp: documents are parsed, walked through and written by a main program of our own. Exceptions as control flow, virtual calls.
programs=walk
language=C++
configure() { :; }
compile() { $CXX $CXXFLAGS -I"$SRC"/include -I"$SRC"/src -o walk "$RECIPES"/yaml-cpp.cpp "$SRC"/src/*.cpp; }
inputs() {
    awk 'BEGIN {
        print "title: list of things\nitems:"
        for (i = 0; i < 120; i++) {
            printf "  - id: %d\n    name: \"thing %d\\n\"\n    tags: [a, b%d, {deep: %d.5}]\n    text: |\n      line one\n      line two %d\n", i, i, i, i, i
            if (i % 5 == 0) print "    base: &b" i " {x: 1, y: two}\n    again: *b" i
        }
    }' >items.yaml
}
workload() { $RUN ./walk 2 items.yaml >out; }
failures() {
    sed '30s/:/: [/' items.yaml >wrong.yaml
    sed 's/\*b10$/*nowhere/' items.yaml >alias.yaml
    fails wrong ./walk 1 wrong.yaml
    fails alias ./walk 1 alias.yaml
    fails missing ./walk 1 nowhere
    fails_full full ./walk 1 items.yaml
    for i in 1 2 3; do killed_busy busy.$i TERM ./walk 1000000 items.yaml; done
}
