# zlib: its minigzip and example programs, linked with its static library.
programs="minigzip example"
unit=deflate.c
configure() { cp -r "$SRC"/. .; ./configure --static; }
compile() { make CC="$CC" LDSHARED="$CC" CFLAGS="$CFLAGS -D_LARGEFILE64_SOURCE=1 -DHAVE_HIDDEN" libz.a minigzip example; }
inputs() { cat "$SRC"/*.[ch] "$SRC"/ChangeLog "$SRC"/contrib/*/*.[ch] "$SRC"/examples/* "$SRC"/doc/* "$SRC"/zlib.3.pdf >text; cat text text >twice; mv twice text; }
workload() {
    $RUN ./minigzip -6 <text >text.gz
    $RUN ./minigzip -d <text.gz >text.out
    cmp text text.out
    $RUN ./minigzip -1 <text >text.1.gz
    $RUN ./example example.gz >out
}
own_tests() { make teststatic CC="$CC" CFLAGS="$CFLAGS -D_LARGEFILE64_SOURCE=1 -DHAVE_HIDDEN"; }
