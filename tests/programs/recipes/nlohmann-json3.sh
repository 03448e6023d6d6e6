# nlohmann-json: heavy templates; a document is parsed, changed and written by a main program of our own. Exceptions as control flow.
programs=walk
language=C++
configure() { :; }
compile() { $CXX $CXXFLAGS -I"$SRC"/include -o walk "$RECIPES"/nlohmann-json3.cpp; }
inputs() { awk -v items=1000 -f "$RECIPES"/json.awk >items.json; }
workload() { $RUN ./walk 1 items.json >out; }
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
