# mawk: the same work as gawk.
programs=mawk
configure() { "$SRC"/configure --with-builtin-regex; }
compile() { make CC="$CC" CFLAGS="$CFLAGS" LDFLAGS="$CFLAGS" mawk; } # its configure script adds a flag that only clang knows
inputs() { cat "$SRC"/CHANGES "$SRC"/*.c "$SRC"/man/* "$SRC"/CHANGES "$SRC"/*.c "$SRC"/man/* >text; cp "$RECIPES"/awk.awk work.awk; }
workload() { $RUN ./mawk -f work.awk text >out; }
failures() {
    fails syntax ./mawk 'BEGIN { print 1 +* 2 }'
    fails unfinished ./mawk 'BEGIN { if (1) {' text
    fails string ./mawk 'BEGIN { print "a }'
    fails regex ./mawk '/(a/ { print }' text
    fails dynamic-regex ./mawk '{ if ($1 ~ "[" $1) print }' text
    fails function ./mawk 'function f(x) { return g(x) } BEGIN { f(1) }'
    fails missing ./mawk -f nowhere
    fails missing-input ./mawk 'END { print NR }' nowhere text
    fails option ./mawk --nonsense
    fails exit ./mawk 'function f(n) { if (n == 0) exit 3; return f(n - 1) + 1 } NR == 40 { f(25) } END { print NR; for (;;) if (++i == 7) exit }' text
    fails exit-in-end ./mawk '{ s += NF } END { while (1) { for (i = 0; i < 5; i++) if (i * s > 100) exit 4 } }' text
    fails child ./mawk 'NR == 30 { print; fflush(); system("kill -TERM $PPID"); print "alive" }' text
    fails child-pipe ./mawk 'NR == 30 { "kill -INT $PPID" | getline; print "alive" }' text
    fails write ./mawk '{ print >"/dev/full" }' text
    fails no-folder ./mawk '{ print >"nowhere/out" }' text
    fails reader-leaves ./mawk 'BEGIN { leaves = "exec <&-; echo >closed"; print | leaves; while ((getline <"closed") <= 0) close("closed"); for (;;) print | leaves }'
    fails_full full ./mawk '{ print NR, $0 }' text
    cut_off cut ./mawk '{ print NR, $0 }' text
    killed_reading term TERM "$(head -c 20000 text)" ./mawk -f work.awk
    killed_reading interrupted INT "$(head -c 20000 text)" ./mawk '{ for (i = NF; i > 0; i--) n[$i]++ } END { print length(n) }'
    killed_reading abort ABRT "$(head -c 20000 text)" ./mawk 'function f(n) { return n ? f(n - 1) : getline line } BEGIN { while (f(20) > 0); }'
    for i in 1 2 3; do killed_busy busy.$i TERM ./mawk 'function f(n) { return n < 2 ? n : f(n - 1) + f(n - 2) } BEGIN { print f(60) }'; done
    killed_busy busy.quit QUIT ./mawk 'BEGIN { for (;;) { gsub(/[a-c]+/, "xabcy", s); s = substr(s "abc", 1, 80) } }'
    fails file-is-folder ./mawk -f .
    fails segv ./mawk 'NR == 30 { system("kill -SEGV $PPID") }' text
    fails fpe ./mawk 'NR == 30 { system("kill -FPE $PPID") }' text
}
