# zopfli: a compressor that searches long for a small result.
programs=zopfli
configure() { :; }
compile() { $CC $CFLAGS -o zopfli "$SRC"/src/zopfli/*.c -lm; }
inputs() { cat "$SRC"/README "$SRC"/src/zopfli/*.h | head -c 6000 >text; }
workload() {
    $RUN ./zopfli -c --i1 text >text.gz
    gzip -dc text.gz | cmp - text
}
failures() {
    ends missing ./zopfli -c nowhere
    ends option ./zopfli --nonsense
    ends_full full ./zopfli -c --i1 text
    for i in 1 2 3; do killed_busy busy.$i TERM ./zopfli -c --i100000 text; done
}
