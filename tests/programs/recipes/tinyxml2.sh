# tinyxml2: a document is parsed, walked through, changed and printed by a main program of our own. Virtual calls.
programs=shop
language=C++
configure() { :; }
compile() { $CXX $CXXFLAGS -I"$SRC" -o shop "$RECIPES"/tinyxml2.cpp "$SRC"/tinyxml2.cpp; }
inputs() { awk -v items=2500 -f "$RECIPES"/xml.awk >shop.xml; }
workload() { $RUN ./shop 4 shop.xml >out; }
failures() {
    sed 's/<name>/<nome>/' shop.xml >mismatch.xml
    head -c 30000 shop.xml >short.xml
    fails mismatch ./shop 1 mismatch.xml
    fails short ./shop 1 short.xml
    fails missing ./shop 1 nowhere
    fails_full full ./shop 1 shop.xml
    cut_off cut ./shop 3 shop.xml
    for i in 1 2 3; do killed_busy busy.$i TERM ./shop 1000000 shop.xml; done
}
