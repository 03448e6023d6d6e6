# grep: literal, regular and back-referencing searches of its own change log.
programs=src/grep
configure() { "$SRC"/configure --disable-dependency-tracking --disable-nls --disable-perl-regexp; }
compile() { make; }
inputs() { cat "$SRC"/ChangeLog "$SRC"/src/*.c "$SRC"/lib/*.c >text; cat text text text >thrice; mv thrice text; head -c 150000 "$SRC"/ChangeLog >part; }
workload() {
    $RUN ./grep -n 'regex' text >out.1
    $RUN ./grep -ciE '(static|extern) +[a-z_]+ \**[a-z_]+' text >out.2
    $RUN ./grep -E '([a-z])\1([a-z])\2' part >out.3
    $RUN ./grep -vw -e the -e a -e of text >out.4
    $RUN ./grep -oE '[a-z]+_[a-z_]+' text >out.5
}
own_tests() { make -C tests check TESTS='backref backref-alt bre char-class-multibyte ere empty file options spencer1 khadafy status yesno'; }
