# bc: pi, square roots and its own test of functions.
programs=bc/bc
configure() { "$SRC"/configure --disable-dependency-tracking --without-readline; }
compile() { make -C lib && make -C bc; }
inputs() {
    cp "$SRC"/Test/testfn.b "$SRC"/Test/array.b .
    cat >work.b <<'END'
define f(n) { if (n < 2) return (n); return (f(n - 1) + f(n - 2)); }
scale = 60
4 * a(1)
e(1.5)
f(16)
s = 0
for (i = 1; i < 1500; i++) { s = s + sqrt(i) / i; if (i % 2) s = s * 1.0001 }
s
2 ^ 2000 % 1234567891011
END
}
workload() {
    $RUN ./bc -l work.b </dev/null >out
    $RUN ./bc -l array.b </dev/null >out.2
}
failures() {
    local deep='define f(n) { if (n == 0) { halt; }; return (f(n - 1) + 1); }'
    ends syntax ./bc -l <<<'1 + * 2
define f( { }
if (1) { 2'
    ends run-time ./bc <<<'define f(n) { if (n) return (f(n - 1)); return (1 / n); }
f(9)
sqrt(-4)
g(1)
a[-1]
2 ^ (2 ^ 70)
scale = -1
1 % 0
f(1, 2)
ibase = 1
f(3)'
    ends quit ./bc <<<'for (i = 0; i < 9; i++) { for (j = 0; j < 9; j++) { if (i * j == 12) quit; i } }'
    ends halt ./bc <<<"$deep
1
f(20)
2"
    ends string ./bc <<<'"no end'
    ends warned ./bc -w -s <<<'define f(x) { auto y; return 1; }
a < b'
    fails missing ./bc nowhere
    fails option ./bc --nonsense
    ends_full full ./bc work.b -l
    cut_off cut ./bc <<<'while (1) { i = i + 1; i }'
    killed_reading term TERM "$(cat work.b)
" ./bc -l
    killed_reading interrupted INT '1 + 2
' ./bc
    killed_reading abort ABRT '1 + 2
3 *' ./bc
    killed_reading quit QUIT 'define f(x) {
' ./bc -l
    for i in 1 2 3; do killed_busy busy.$i TERM ./bc \
        -l <<<'define f(n) { if (n < 2) return (n); return (f(n - 1) + f(n - 2)); }
f(60)'; done
    killed_busy busy.quit QUIT ./bc -l <<<'scale = 20000; a(1)'
}
