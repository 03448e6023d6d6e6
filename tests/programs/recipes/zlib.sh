# zlib: its minigzip and example programs, linked with its static library.
programs="minigzip example"
unit=deflate.c
configure() { cp -r "$SRC"/. .; ./configure --static; }
compile() {
    make CC="$CC" LDSHARED="$CC" CFLAGS="$CFLAGS -D_LARGEFILE64_SOURCE=1 -DHAVE_HIDDEN" libz.a minigzip \
        example
}
inputs() {
    cat "$SRC"/*.[ch] "$SRC"/ChangeLog "$SRC"/contrib/*/*.[ch] "$SRC"/examples/* "$SRC"/doc/* \
        "$SRC"/zlib.3.pdf >text; cat text text >twice; mv twice text
}
workload() {
    $RUN ./minigzip -6 <text >text.gz
    $RUN ./minigzip -d <text.gz >text.out
    cmp text text.out
    $RUN ./minigzip -1 <text >text.1.gz
    $RUN ./example example.gz >out
}
failures() {
    cp text.gz checksum.gz && damage checksum.gz $(($(wc -c <text.gz) - 7))
    cp text.gz middle.gz && damage middle.gz 30000
    cp text.gz start.gz && damage start.gz 2
    head -c 30000 text.gz >short.gz
    fails checksum ./minigzip -d <checksum.gz
    fails middle ./minigzip -d <middle.gz
    fails start ./minigzip -c -d start.gz
    fails short ./minigzip -d <short.gz
    fails missing ./minigzip nowhere
    fails missing.gz ./minigzip -d nowhere.gz
    fails no-folder ./example nowhere/example.gz
    fails_full full ./minigzip -d <text.gz
    fails_full full.compress ./minigzip <text
    cut_off cut ./minigzip -d <text.gz
    killed_reading term TERM "$(head -c 20000 text)" ./minigzip
    killed_reading interrupted INT "$(head -c 20000 text)" ./minigzip -9
    killed_reading segv SEGV short ./minigzip
    for i in 1 2 3; do killed_busy busy.$i TERM ./minigzip -9 </dev/zero; done
    killed_busy busy.quit QUIT ./minigzip -1 </dev/urandom
}
own_tests() { make teststatic CC="$CC" CFLAGS="$CFLAGS -D_LARGEFILE64_SOURCE=1 -DHAVE_HIDDEN"; }
