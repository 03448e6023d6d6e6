# cliquer: largest cliques of random graphs.
programs=cl
configure() { :; }
compile() { $CC $CFLAGS -w -o cl "$SRC"/cl.c "$SRC"/cliquer.c "$SRC"/graph.c "$SRC"/reorder.c; }
inputs() {
    local n
    for n in 80 300; do
        awk -v n=$n 'BEGIN {
            seed = 5
            print "p edge", n, n * (n - 1) / 4
            for (i = 2; i <= n; i++) for (j = 1; j < i; j++) { seed = (seed * 16807) % 2147483647; if (int(seed / 7) % 100 < 65) print "e", i, j }
        }' >$n.graph
    done
}
workload() {
    $RUN ./cl -q -q -s 80.graph >out.1
    $RUN ./cl -q -q -a -m 11 80.graph >out.2
    $RUN ./cl -q -q -u -s 80.graph >out.3
}
failures() {
    sed '20s/.*/e 900 1/' 80.graph >wrong.graph
    fails missing ./cl -q -q nowhere
    fails option ./cl -Z 80.graph
    ends operands ./cl
    fails wrong ./cl -q -q wrong.graph
    ends_full full ./cl -q -q -a -m 12 80.graph
    for i in 1 2 3; do killed_busy busy.$i TERM ./cl -q -q -a 300.graph; done
}
