# bzip2: compress and decompress text. Its makefile knows no build folder of its own, so the sources are copied. The program is linked with the
# static library, so that one file holds everything that is counted.
programs=bzip2
unit=compress.c
configure() { cp -r "$SRC"/. .; }
compile() {
    make CC="$CC" CFLAGS="$CFLAGS -D_FILE_OFFSET_BITS=64" libbz2.a bzip2.o bzip2recover
    $CC $CFLAGS -o bzip2 bzip2.o libbz2.a
}
inputs() { cat "$SRC"/*.c "$SRC"/manual.* "$SRC"/sample*.ref | head -c 1500000 >text; }
workload() {
    $RUN ./bzip2 -6 -c text >text.bz2
    $RUN ./bzip2 -dc text.bz2 >text.out
    cmp text text.out
}
own_tests() {
    local level
    for level in 1 2 3; do
        ./bzip2 -$level <"$SRC/sample$level.ref" | cmp - "$SRC/sample$level.bz2"
        ./bzip2 -d <"$SRC/sample$level.bz2" | cmp - "$SRC/sample$level.ref"
    done
}
