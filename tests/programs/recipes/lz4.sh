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
failures() {
    cp text.6.lz4 middle.lz4 && damage middle.lz4 30000
    cp text.6.lz4 end.lz4 && damage end.lz4 $(($(wc -c <text.6.lz4) - 2))
    cp text.6.lz4 start.lz4 && damage start.lz4 5
    head -c 30000 text.6.lz4 >short.lz4
    fails middle ./lz4 -dc middle.lz4
    fails end ./lz4 -dc end.lz4
    fails start ./lz4 -dc start.lz4
    fails short ./lz4 -dc <short.lz4
    fails not-lz4 ./lz4 -d text part
    fails tested ./lz4 -t -m middle.lz4 text.6.lz4 short.lz4
    ends listed ./lz4 --list short.lz4 text
    fails exists ./lz4 -q text text.6.lz4
    fails missing ./lz4 -c nowhere
    fails option ./lz4 --nonsense
    fails no-folder ./lz4 text nowhere/out
    fails_full full ./lz4 -dc text.6.lz4
    cut_off cut ./lz4 -dc text.6.lz4
    killed_reading term TERM "$(head -c 20000 text)" ./lz4 -c
    killed_reading interrupted INT "$(head -c 20000 text)" ./lz4 -9 -c
    killed_reading segv SEGV short ./lz4 -c
    for i in 1 2 3; do killed_busy busy.$i TERM ./lz4 -q -12 -c </dev/urandom; done
    killed_busy busy.quit QUIT ./lz4 -q -1 -c </dev/zero
}
