# gawk: words counted, fields summed, strings rewritten.
programs=gawk
configure() { "$SRC"/configure --disable-dependency-tracking --disable-nls --disable-mpfr --disable-extensions --without-readline; }
compile() { make -C support && make gawk; }
inputs() { cat "$SRC"/ChangeLog* >text; cp "$RECIPES"/awk.awk work.awk; }
workload() { $RUN ./gawk -f work.awk text >out; }
failures() {
    fails syntax ./gawk 'BEGIN { print 1 +* 2 }'
    fails unfinished ./gawk 'BEGIN { if (1) {' text
    fails string ./gawk 'BEGIN { print "a }'
    fails regex ./gawk '/(a/ { print }' text
    fails dynamic-regex ./gawk '{ if ($1 ~ "[" $1) print }' text
    fails function ./gawk 'function f(x) { return g(x) } BEGIN { f(1) }'
    fails missing ./gawk -f nowhere
    fails missing-input ./gawk 'END { print NR }' nowhere text
    fails option ./gawk --nonsense
    fails exit ./gawk 'function f(n) { if (n == 0) exit 3; return f(n - 1) + 1 } NR == 40 { f(25) } END { print NR; for (;;) if (++i == 7) exit }' text
    fails exit-in-end ./gawk '{ s += NF } END { while (1) { for (i = 0; i < 5; i++) if (i * s > 100) exit 4 } }' text
    fails child ./gawk 'NR == 30 { print; fflush(); system("kill -TERM $PPID"); print "alive" }' text
    fails child-pipe ./gawk 'NR == 30 { "kill -INT $PPID" | getline; print "alive" }' text
    fails write ./gawk '{ print >"/dev/full" }' text
    fails no-folder ./gawk '{ print >"nowhere/out" }' text
    fails reader-leaves ./gawk 'BEGIN { leaves = "exec <&-; echo >closed"; print | leaves; while ((getline <"closed") <= 0) close("closed"); for (;;) print | leaves }'
    fails_full full ./gawk '{ print NR, $0 }' text
    cut_off cut ./gawk '{ print NR, $0 }' text
    killed_reading term TERM "$(head -c 20000 text)" ./gawk -f work.awk
    killed_reading interrupted INT "$(head -c 20000 text)" ./gawk '{ for (i = NF; i > 0; i--) n[$i]++ } END { print length(n) }'
    killed_reading abort ABRT "$(head -c 20000 text)" ./gawk 'function f(n) { return n ? f(n - 1) : getline line } BEGIN { while (f(20) > 0); }'
    for i in 1 2 3; do killed_busy busy.$i TERM ./gawk 'function f(n) { return n < 2 ? n : f(n - 1) + f(n - 2) } BEGIN { print f(60) }'; done
    killed_busy busy.quit QUIT ./gawk 'BEGIN { for (;;) { gsub(/[a-c]+/, "xabcy", s); s = substr(s "abc", 1, 80) } }'
    fails division ./gawk 'function f(n) { return n ? f(n - 1) : 1 / n } { f(NR % 5) }' text
    fails format ./gawk 'BEGIN { printf "%d %*d\n", 1 }'
    fails sort ./gawk 'BEGIN { a[1]; PROCINFO["sorted_in"] = "nosuch"; for (i in a) print asort(a, b, "none") }'
    fails assertion ./gawk '@include "nowhere"'
    fails segv ./gawk 'NR == 30 { system("kill -SEGV $PPID") }' text
    fails strict ./gawk --lint=fatal '{ x = y }' text
}
