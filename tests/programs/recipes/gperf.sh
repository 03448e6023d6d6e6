# gperf (C++14: it still says `register`): perfect hash functions of several sets of words.
programs=src/gperf
unit=search.cc
configure() { "$SRC"/configure; }
compile() { make -C lib CXX="$CXX -std=gnu++14" && make -C src CXX="$CXX -std=gnu++14"; }
inputs() {
    cp "$SRC"/tests/*.gperf .
    tr -cs 'a-z' '\n' <"$SRC"/COPYING | sort -u | awk 'length > 3' | head -n 900 >words
}
workload() {
    $RUN ./gperf -k'*' -D words >words.c
    $RUN ./gperf -j1 -D -p -t c-parse.gperf >out.1
    $RUN ./gperf -m 40 ada.gperf >out.2
    $RUN ./gperf -D -m 4 -t languages.gperf >out.3
    $RUN ./gperf -m 60 -k1,2,'$' c.gperf >out.4
}
own_tests() { make -C tests check-c check-ada check-modula3 check-pascal; }
