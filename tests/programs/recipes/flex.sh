# flex: makes scanners of its own scanner and of test grammars.
programs=src/flex
configure() {
    "$SRC"/configure --disable-dependency-tracking --disable-nls --disable-shared HELP2MAN=true MAKEINFO=true
}
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
failures() {
    printf '%%%%\n[a-z { return 1; }\n' >bracket.lex
    printf '%%%%\na(b { return 1; }\n"abc { x; }\n%%%%\n' >quote.lex
    printf '%%option nonsense\n%%x A A\n%%%%\n<B>a ;\n' >option.lex
    printf '%%%%\na{3,1} ;\n{NAME} ;\n' >name.lex
    printf '%%%%\na REJECT;\n' >reject.lex
    printf '%%%%\na { /* no end\n' >comment.lex
    fails bracket ./flex -t bracket.lex
    fails quote ./flex -t quote.lex
    fails bad-option ./flex -t option.lex
    fails name ./flex -t name.lex
    fails reject ./flex -t -f reject.lex
    fails comment ./flex -t comment.lex
    fails not-lex ./flex -t scan.c
    fails option ./flex --nonsense
    fails conflict ./flex -t -Cfe -I scan.l
    fails missing ./flex -t nowhere
    fails no-folder ./flex -o nowhere/out scan.l
    fails skeleton ./flex -t -S nowhere scan.l
    fails tables ./flex -t --tables-file=nowhere/tables scan.l
    ends full ./flex -o /dev/full scan.l
    killed_reading term TERM "$(head -c 4000 scan.l)" ./flex -t
    killed_reading interrupted INT "$(head -c 4000 scan.l)" ./flex -L -t -Cf
    killed_reading abort ABRT '%%' ./flex -t
    # A scanner whose tables take long to make.
    printf '%%%%\n(a|b)*a(a|b){14} ;\n' >large.lex
    for i in 1 2 3; do killed_busy busy.$i TERM ./flex -t large.lex; done
}
