# flex: makes scanners of its own scanner and of test grammars.
programs=src/flex
configure() { "$SRC"/configure --disable-dependency-tracking --disable-nls --disable-shared HELP2MAN=true MAKEINFO=true; }
compile() { make -C src flex; }
inputs() { cp "$SRC"/src/scan.l "$SRC"/tests/*.l .; }
workload() {
    $RUN ./flex -L -o scan.c scan.l
    $RUN ./flex -L -Cf -o scan.full.c scan.l
    $RUN ./flex -L -Ce -o scan.e.c scan.l
    $RUN ./flex -L -CF -8 -o scan.fast.c scan.l
    $RUN ./flex -L -o basic.c basic_r.l
    $RUN ./flex -L -o extended.c extended.l
}
