# hunspell: words are looked up, with affixes and in compounds, by a main program of our own (suggestions stop by the clock: left out).
programs=spell
language=C++
configure() { :; }
compile() {
    $CXX $CXXFLAGS -w -DHUNSPELL_STATIC -I"$SRC"/src/hunspell -o spell "$RECIPES"/hunspell.cpp \
        "$SRC"/src/hunspell/*.cxx
}
inputs() {
    cp "$SRC"/tests/{affixes,compoundrule4,germancompounding,flagnum,complexprefixes2,circumfix,hu}.{aff,dic,good} .
    cat "$SRC"/ChangeLog "$SRC"/NEWS "$SRC"/README* | tr -cs 'A-Za-z' '\n' | awk 'length > 2' |
        head -n 20000 >text
    printf 'SET UTF-8\nSFX S Y 2\nSFX S y ies [^aeiou]y\nSFX S 0 s [^sxy]\nSFX D Y 2\nSFX D 0 d e\nSFX D 0 ed [^e]\nPFX U Y 1\nPFX U 0 un .\n' >words.aff
    sort -u text |
        awk 'NR % 2 { n++; line[n] = $0 "/SDU" } END { print n; for (i = 1; i <= n; i++) print line[i] }' \
        >words.dic
}
workload() {
    local name
    for name in affixes compoundrule4 germancompounding flagnum complexprefixes2 circumfix; do
        $RUN ./spell "$name" "$name.good" >"out.$name"
    done
    $RUN ./spell words text >out.words
}
failures() {
    yes unsomethinged | head -n 3000000 >long
    fails operands ./spell
    fails missing ./spell words nowhere
    fails dictionary ./spell nowhere text
    fails_full full ./spell words text
    cut_off cut ./spell words long
    for i in 1 2 3; do killed_busy busy.$i TERM ./spell words long; done
    rm long
}
