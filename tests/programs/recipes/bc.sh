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
