# gperf (C++14: it still says `register`): perfect hash functions of several sets of words.
programs=src/gperf
language=C++
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
failures() {
    printf 'one\ntwo\none\n' >twice
    printf '%%%%\n' >empty
    printf '%%{\nno end\n' >verbatim
    printf '%%define nonsense x\n%%%%\na\n' >declaration
    printf '%%%%\n"ab\ncd\n' >quote
    fails twice ./gperf twice
    fails empty ./gperf empty
    fails verbatim ./gperf verbatim
    fails declaration ./gperf declaration
    fails quote ./gperf quote
    fails positions ./gperf -k 1,x words
    fails position-0 ./gperf -k 0 words
    fails not-enough ./gperf -k 1 words
    ends language ./gperf -L nonsense words
    fails option ./gperf --nonsense
    fails missing ./gperf nowhere
    fails operands ./gperf words words
    fails no-folder ./gperf --output-file=nowhere/out c.gperf
    fails_full full ./gperf -m 4 c.gperf
    cut_off cut ./gperf -k'*' -D words
    killed_reading term TERM "$(head -c 4000 words)" ./gperf
    killed_reading interrupted INT "$(head -c 4000 words)" ./gperf -k'*' -D
    killed_reading abort ABRT x ./gperf
    for i in 1 2 3; do killed_busy busy.$i TERM ./gperf -k'*' -m 1000 words; done
}
own_tests() { make -C tests check-c check-ada check-modula3 check-pascal; }
