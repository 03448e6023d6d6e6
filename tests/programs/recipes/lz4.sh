# lz4: compress at three levels and decompress. Its makefiles know no build folder of their own, so the sources are copied; the program holds its library.
programs=programs/lz4
configure() { cp -r "$SRC"/. .; }
compile() {
    make -C lib liblz4.a CC="$CC" CFLAGS="$CFLAGS"
    make -C programs lz4 CC="$CC" CFLAGS="$CFLAGS" LDFLAGS="$CFLAGS -L../lib"
}
inputs() { cat "$SRC"/lib/*.[ch] "$SRC"/programs/*.[ch] "$SRC"/doc/* "$SRC"/tests/*.[ch] >text; }
workload() {
    local level
    for level in 1 6 12; do
        $RUN ./lz4 -q -$level -c text >text.$level.lz4
        $RUN ./lz4 -q -dc text.$level.lz4 >text.out
        cmp text text.out
    done
}
