# m4: macros that recurse, loop and work on strings. Ends by exit().
programs=src/m4
configure() { "$SRC"/configure --disable-dependency-tracking; }
compile() { make; }
inputs() {
    cat >work.m4 <<'M4'
define(`loop', `ifelse(eval($1 > 0), 1, `work($1)`'loop(decr($1))')')dnl
define(`work', `format(`%5d %s %d', $1, translit(`macro processing', `a-m', `A-M'), eval(($1 * 7919) % 1009))
')dnl
define(`fib', `ifelse(eval($1 < 2), 1, $1, `eval(fib(decr($1)) + fib(eval($1 - 2)))')')dnl
loop(3000)fib(15)
patsubst(`the quick brown fox', `\([a-z]+\) \([a-z]+\)', `\2 \1')
M4
}
workload() { $RUN ./m4 -L 0 work.m4 >text.out; }
failures() {
    cat >exit.m4 <<'M4'
define(`f', `ifelse($1, 0, `m4exit(5)', `[f(decr($1))]')')f(40)
M4
    cat >errors.m4 <<'M4'
eval(1 +* 2) eval(1 / 0) incr(x) substr(`a') format(`%d') regexp(`a', `\(') m4exit(2)
M4
    cat >children.m4 <<'M4'
a
KILL(`kill -SIGNAL $PPID')b
M4
    cat >endless.m4 <<'M4'
define(`f', `some text that is long enough translit(`abc', `a-c', `A-C')patsubst(`aXb', `[A-Z]', `y')f')f
M4
    sed -e '/^loop/s/15/60/' work.m4 >long.m4
    fails exit ./m4 exit.m4
    fails quote ./m4 <<<'define(`a, b'
    fails arguments ./m4 work.m4 errors.m4
    fails strict ./m4 -E -E errors.m4
    fails limit ./m4 -L 5 work.m4
    fails include ./m4 <<<'a include(nowhere) b'
    fails missing ./m4 nowhere exit.m4
    fails option ./m4 --nonsense
    fails frozen ./m4 -R work.m4
    fails no-folder ./m4 -F nowhere/state work.m4
    fails child ./m4 -DKILL='syscmd($1)' -DSIGNAL=TERM children.m4
    fails child-pipe ./m4 -DKILL='esyscmd($1)' -DSIGNAL=INT children.m4
    fails child-segv ./m4 -DKILL='syscmd($1)' -DSIGNAL=SEGV children.m4
    fails_full full ./m4 -L 0 work.m4
    cut_off cut ./m4 endless.m4
    killed_reading term TERM "$(cat work.m4)" ./m4 -L 0
    killed_reading interrupted INT 'define(a, b)a(' ./m4
    killed_reading abort ABRT 'eval(1' ./m4
    for i in 1 2 3; do killed_busy busy.$i TERM ./m4 -L 0 long.m4; done
    killed_busy busy.quit QUIT ./m4 endless.m4
}
