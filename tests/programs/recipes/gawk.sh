# gawk: words counted, fields summed, strings rewritten.
programs=gawk
configure() { "$SRC"/configure --disable-dependency-tracking --disable-nls --disable-mpfr --disable-extensions --without-readline; }
compile() { make -C support && make gawk; }
inputs() { cat "$SRC"/ChangeLog* >text; cp "$RECIPES"/awk.awk work.awk; }
workload() { $RUN ./gawk -f work.awk text >out; }
