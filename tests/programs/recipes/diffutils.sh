# diff: two versions of a long text, compared in three ways.
programs=src/diff
configure() { "$SRC"/configure --disable-dependency-tracking --disable-nls; }
compile() { make; }
inputs() {
    cat "$SRC"/lib/*.[ch] "$SRC"/ChangeLog* | head -c 2500000 >old
    awk 'NR % 97 == 0 { next } NR % 53 == 0 { print "inserted " NR } NR % 41 == 0 { sub(/ /, "  ") } { print } NR % 1000 == 0 { for (i = 0; i < 20; i++) print i }' \
        old >new
}
workload() { # diff's status 1 means that the texts differ
    local status
    for options in -u '-w --minimal' '-y -W100 --suppress-common-lines'; do
        status=0
        # shellcheck disable=SC2086
        $RUN ./diff $options --label=old --label=new old new >"out.${options%% *}" || status=$?
        [ "$status" = 1 ]
    done
}
failures() {
    printf 'a\0b' >binary
    head -c 100000 old >part
    mkdir folder
    fails binary ./diff old binary
    fails missing ./diff old nowhere
    fails both-missing ./diff -r nowhere nothing
    fails folder ./diff -r folder old
    fails options ./diff -u -c old new
    fails option ./diff --nonsense
    fails number ./diff -U x old new
    fails regex ./diff -I '\(a' old new
    fails function ./diff -F '[a' -u old new
    fails operand ./diff old
    fails brief ./diff -q old new
    fails_full full ./diff old new
    fails_full full-brief ./diff -q old new
    cut_off cut ./diff -y old new
    killed_reading term TERM "$(head -c 20000 old)" ./diff - old
    killed_reading interrupted INT "$(head -c 20000 old)" ./diff -u part -
    killed_reading abort ABRT short ./diff -c part -
    # Two texts without order: the search for the smallest difference takes long.
    awk 'BEGIN { for (i = 0; i < 30000; i++) { s = (s * 1103515245 + 12345) % 2147483648; print int(s / 65536) % 50 } }' >random.1
    awk 'BEGIN { s = 7; for (i = 0; i < 30000; i++) { s = (s * 1103515245 + 12345) % 2147483648; print int(s / 65536) % 50 } }' >random.2
    for i in 1 2 3; do killed_busy busy.$i TERM ./diff --minimal random.1 random.2; done
}
