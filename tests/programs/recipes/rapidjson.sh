# rapidjson: templates; a document is parsed in two ways, changed and written by a main program of our own.
programs=walk
language=C++
# clang refuses an assignment to a constant in it, which nothing uses.
configure() {
    cp -r "$SRC"/include .
    sed -i "/GenericStringRef& operator=(const GenericStringRef& rhs)/d" include/rapidjson/document.h
}
compile() { $CXX $CXXFLAGS -Iinclude -o walk "$RECIPES"/rapidjson.cpp; }
inputs() { awk -v items=4000 -f "$RECIPES"/json.awk >items.json; }
workload() { $RUN ./walk 4 items.json >out; }
failures() {
    sed 's/true, {/true {/; s/\\n/\\q/' items.json >wrong.json
    head -c 50000 items.json >short.json
    awk 'BEGIN { for (i = 0; i < 30; i++) printf "["; print "1,]" }' >deep.json
    fails wrong ./walk 1 wrong.json
    fails short ./walk 1 short.json
    fails deep ./walk 1 deep.json
    fails missing ./walk 1 nowhere
    fails_full full ./walk 1 items.json
    for i in 1 2 3; do killed_busy busy.$i TERM ./walk 1000000 items.json; done
}
