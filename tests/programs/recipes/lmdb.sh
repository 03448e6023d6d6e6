# lmdb: a database in a mapped file, filled, read and emptied by a main program of our own.
programs=store
configure() { :; }
compile() {
    $CC $CFLAGS -w -I"$SRC"/libraries/liblmdb -o store "$RECIPES"/lmdb.c "$SRC"/libraries/liblmdb/mdb.c \
        "$SRC"/libraries/liblmdb/midl.c -lpthread
}
inputs() { :; }
workload() {
    $RUN ./store 4 data >out
    rm data
}
failures() {
    head -c 9000 /dev/zero | tr '\0' x >text
    fails operands ./store
    fails folder ./store 1 nowhere/data
    fails not-data ./store 1 text
    fails directory ./store 1 .
    for i in 1 2 3; do killed_busy busy.$i TERM ./store 1000000 large.$i wide; done
    rm -f data large.*
}
