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
