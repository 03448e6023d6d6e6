# gzip: compress and decompress its own change logs and sources. Ends by exit().
programs=gzip
configure() { "$SRC"/configure --disable-dependency-tracking; }
compile() { make; }
inputs() {
    cat "$SRC"/ChangeLog* "$SRC"/*.c "$SRC"/lib/*.[ch] "$SRC"/doc/* >text; cat text text >twice; mv twice text
}
workload() {
    $RUN ./gzip -9 -c text >text.gz
    $RUN ./gzip -dc text.gz >text.out
    cmp text text.out
    $RUN ./gzip -1 -c text >text.1.gz
}
failures() {
    cp text.gz checksum.gz && damage checksum.gz $(($(wc -c <text.gz) - 7))
    cp text.gz middle.gz && damage middle.gz 30000
    head -c 30000 text.gz >short.gz
    fails checksum ./gzip -dc checksum.gz
    fails middle ./gzip -dc middle.gz
    fails short ./gzip -dc <short.gz
    fails not-gzip ./gzip -dc text
    fails tested ./gzip -tv checksum.gz text.gz short.gz
    fails suffix ./gzip -d text
    fails exists ./gzip -k text
    fails missing ./gzip -c nowhere text
    fails option ./gzip --nonsense
    fails_full full ./gzip -dc text.gz
    cut_off cut ./gzip -dc text.gz
    killed_reading term TERM "$(head -c 20000 text)" ./gzip -c
    killed_reading interrupted INT "$(head -c 20000 text)" ./gzip -9
    killed_reading segv SEGV short ./gzip
    for i in 1 2 3; do killed_busy busy.$i TERM ./gzip -9 -c /dev/zero; done
    killed_busy busy.file INT ./gzip -c - </dev/urandom
}
# Without list-big, which compresses gigabytes.
own_tests() {
    make -C tests check TESTS="$(sed -n '/^TESTS =/,/^$/p' "$SRC"/tests/Makefile.am | tr -d '\\' |
        tr ' \t' '\n\n' | grep -vxE 'TESTS|=|list-big' | tr '\n' ' ')"
}
