# pugixml: a document is parsed, searched by XPath and printed by a main program of our own. Wrong expressions are exceptions.
programs=search
language=C++
configure() { :; }
compile() { $CXX $CXXFLAGS -I"$SRC"/src -o search "$RECIPES"/pugixml.cpp "$SRC"/src/pugixml.cpp; }
inputs() { awk -v items=2000 -f "$RECIPES"/xml.awk >shop.xml; }
workload() {
    $RUN ./search 5 shop.xml '//tag[@weight > 25]' 'shop/item[contains(name, "part 1")]/price' \
        'count(//item[' '//item[@kind = "k3"]/following-sibling::item[1]' >out
}
failures() {
    sed 's/<name>/<nome>/' shop.xml >mismatch.xml
    fails mismatch ./search 1 mismatch.xml //tag
    fails missing ./search 1 nowhere //tag
    fails none ./search 1 shop.xml //nothing
    fails_full full ./search 1 shop.xml //tag
    for i in 1 2 3; do killed_busy busy.$i TERM ./search 1000000 shop.xml //tag; done
}
