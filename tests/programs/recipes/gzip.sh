# gzip: compress and decompress its own change logs and sources. Ends by exit().
programs=gzip
configure() { "$SRC"/configure --disable-dependency-tracking; }
compile() { make; }
inputs() { cat "$SRC"/ChangeLog* "$SRC"/*.c "$SRC"/lib/*.[ch] "$SRC"/doc/* >text; cat text text >twice; mv twice text; }
workload() {
    $RUN ./gzip -9 -c text >text.gz
    $RUN ./gzip -dc text.gz >text.out
    cmp text text.out
    $RUN ./gzip -1 -c text >text.1.gz
}
# Without list-big, which compresses gigabytes.
own_tests() { make -C tests check TESTS="$(sed -n '/^TESTS =/,/^$/p' "$SRC"/tests/Makefile.am | tr -d '\\' | tr ' \t' '\n\n' | grep -vxE 'TESTS|=|list-big' | tr '\n' ' ')"; }
