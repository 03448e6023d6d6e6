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
failures() {
    cp text.bz2 middle.bz2 && damage middle.bz2 100000
    cp text.bz2 end.bz2 && damage end.bz2 $(($(wc -c <text.bz2) - 3))
    head -c 100000 text.bz2 >short.bz2
    fails middle ./bzip2 -dc middle.bz2
    fails end ./bzip2 -dkc end.bz2
    fails short ./bzip2 -dc <short.bz2
    fails not-bzip2 ./bzip2 -dc text
    fails tested ./bzip2 -tvv middle.bz2 text.bz2 short.bz2 end.bz2
    fails exists ./bzip2 -k text
    fails missing ./bzip2 -c nowhere text
    fails option ./bzip2 --nonsense
    fails unfinished ./bzip2 -d short.bz2
    fails_full full ./bzip2 -dc text.bz2
    cut_off cut ./bzip2 -dc text.bz2
    killed_reading term TERM "$(head -c 20000 text)" ./bzip2 -c
    killed_reading interrupted INT "$(head -c 20000 text)" ./bzip2 -9
    killed_reading segv SEGV short ./bzip2
    killed_reading quit QUIT short ./bzip2
    for i in 1 2 3; do killed_busy busy.$i TERM ./bzip2 -9 -c </dev/urandom; done
    killed_busy busy.quit QUIT ./bzip2 -c </dev/zero
}
own_tests() {
    local level
    for level in 1 2 3; do
        ./bzip2 -$level <"$SRC/sample$level.ref" | cmp - "$SRC/sample$level.bz2"
        ./bzip2 -d <"$SRC/sample$level.bz2" | cmp - "$SRC/sample$level.ref"
    done
}
