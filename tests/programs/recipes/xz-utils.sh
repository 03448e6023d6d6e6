# xz: single-threaded compression and decompression; liblzma linked in statically.
programs=src/xz/xz
configure() {
    "$SRC"/configure --disable-dependency-tracking --disable-nls --disable-shared --disable-doc \
        --disable-scripts --disable-lzmadec \
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
failures() {
    cp text.xz middle.xz && damage middle.xz 50000
    cp text.xz end.xz && damage end.xz $(($(wc -c <text.xz) - 20))
    cp text.xz start.xz && damage start.xz 8
    head -c 50000 text.xz >short.xz
    fails middle ./xz -dc middle.xz
    fails end ./xz -dkc end.xz
    fails start ./xz -dkc start.xz
    fails short ./xz -dc <short.xz
    fails lzma ./xz --format=lzma -dc short.xz
    fails not-xz ./xz -dc text
    fails tested ./xz -t middle.xz text.xz short.xz
    fails listed ./xz -l text.xz short.xz
    fails memory ./xz -dc --memlimit=100KiB text.xz
    fails exists ./xz -k text
    fails missing ./xz -c nowhere text
    fails option ./xz --nonsense
    fails filters ./xz --lzma2=dict=1EiB text
    fails_full full ./xz -dc text.xz
    cut_off cut ./xz -dc text.xz
    killed_reading term TERM "$(head -c 20000 text)" ./xz -T1 -c
    killed_reading interrupted INT "$(head -c 20000 text)" ./xz -T1 -9
    killed_reading segv SEGV short ./xz -T1
    killed_reading quit QUIT short ./xz -T1
    for i in 1 2 3; do killed_busy busy.$i TERM ./xz -T1 -1 -c </dev/urandom; done
    killed_busy busy.quit QUIT ./xz -T1 -6 -c </dev/zero
}
own_tests() { make -C tests check; }
