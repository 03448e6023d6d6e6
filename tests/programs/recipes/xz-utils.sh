# xz: single-threaded compression and decompression; liblzma linked in statically.
programs=src/xz/xz
configure() {
    "$SRC"/configure --disable-dependency-tracking --disable-nls --disable-shared --disable-doc --disable-scripts --disable-lzmadec \
        --disable-lzmainfo --disable-xzdec
}
compile() { make; }
inputs() { cat "$SRC"/src/*/*.[ch] "$SRC"/src/*/*/*.[ch] | head -c 600000 >text; }
workload() {
    $RUN ./xz -T1 -6 -c text >text.xz
    $RUN ./xz -dc text.xz >text.out
    cmp text text.out
    $RUN ./xz -T1 --format=lzma -0 -c text >text.lzma
    $RUN ./xz -t text.lzma
}
own_tests() { make -C tests check; }
