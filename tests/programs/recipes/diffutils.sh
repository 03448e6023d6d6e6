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
