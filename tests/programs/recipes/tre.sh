# agrep of tre: regular expressions, exact, with back references, and with errors allowed.
programs=src/agrep
configure() { "$SRC"/configure --disable-dependency-tracking --disable-nls --disable-shared; }
compile() { make -C lib && make -C src; }
inputs() { cat "$SRC"/lib/*.c >text; head -c 20000 text >part; }
workload() {
    $RUN ./agrep -c 'regexp|match' text >out.1
    $RUN ./agrep -n '[a-z]+_(tag|node)s?\(' text >out.2
    $RUN ./agrep -2 'backtrak' text >out.3
    $RUN ./agrep '([a-z])\1[a-z]\1' part >out.4 || [ $? = 1 ]
    $RUN ./agrep -1 -s 'functon' part >out.5
}
failures() {
    fails bracket ./agrep '[a' part
    fails parenthesis ./agrep 'a(b' part
    fails missing ./agrep a nowhere
    fails nothing ./agrep 'no line has this text' part
    fails option ./agrep --nonsense
    killed_reading reading TERM "$(head -c 4000 part)" ./agrep -c the
    for i in 1 2 3; do
        killed_busy busy.$i TERM ./agrep -c -3 'some letters' < <(yes 'letters that follow each other')
    done
}
