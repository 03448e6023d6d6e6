# grep: literal, regular and back-referencing searches of its own change log.
programs=src/grep
configure() { "$SRC"/configure --disable-dependency-tracking --disable-nls --disable-perl-regexp; }
compile() { make; }
inputs() {
    cat "$SRC"/ChangeLog "$SRC"/src/*.c "$SRC"/lib/*.c >text; cat text text text >thrice; mv thrice \
        text; head -c 150000 "$SRC"/ChangeLog >part
}
workload() {
    $RUN ./grep -n 'regex' text >out.1
    $RUN ./grep -ciE '(static|extern) +[a-z_]+ \**[a-z_]+' text >out.2
    $RUN ./grep -E '([a-z])\1([a-z])\2' part >out.3
    $RUN ./grep -vw -e the -e a -e of text >out.4
    $RUN ./grep -oE '[a-z]+_[a-z_]+' text >out.5
}
failures() {
    fails parenthesis ./grep '\(a' part
    fails bracket ./grep '[a' part
    fails brace ./grep -E 'a{1' part nowhere
    fails range ./grep '[z-a]' part
    fails class ./grep '[[:nonsense:]]' part
    fails reference ./grep -E '(a)\2' part
    fails backslash ./grep 'a\' part
    fails perl ./grep -P 'a' part
    fails option ./grep --nonsense
    fails no-pattern ./grep
    fails context ./grep -A -5 a part
    fails missing ./grep -f nowhere part
    fails missing-input ./grep -c the nowhere part nowhere
    fails folder ./grep the .
    fails nothing ./grep 'no line has this text' part
    fails own-output ./grep -r 'the' . --include='fail.own-output.out'
    head -c 120000 /dev/zero | tr '\0' '(' >deep
    fails deep ./grep -E -f deep part
    fails_full full ./grep the text
    fails_full full-early ./grep -m1 --line-buffered the text
    cut_off cut ./grep -n . text
    killed_reading term TERM "$(head -c 20000 part)" ./grep -c the
    killed_reading interrupted INT "$(head -c 20000 part)" ./grep --line-buffered -n the
    killed_reading abort ABRT "$(head -c 20000 part)" ./grep -oE '[a-z]+'
    for i in 1 2 3; do
        killed_busy busy.$i TERM ./grep -cE '([a-z])\1([a-z])[a-z ]*\2x' < \
            <(yes 'letters that follow each other')
    done
    killed_busy busy.quit QUIT ./grep -ci 'no line has this text' < <(yes 'No line has THIS')
}
own_tests() {
    make -C tests check TESTS='backref backref-alt bre char-class-multibyte ere empty file options spencer1 khadafy status yesno'
}
