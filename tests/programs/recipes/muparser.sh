# muparser: formulas are parsed to byte code and evaluated by a main program of our own. Exceptions as control flow, virtual calls.
programs=formulas
language=C++
configure() { :; }
compile() {
    $CXX $CXXFLAGS -I"$SRC"/include -o formulas "$RECIPES"/muparser.cpp "$SRC"/src/muParser.cpp \
        "$SRC"/src/muParser{Base,Bytecode,Callback,Error,Int,TokenReader}.cpp
}
inputs() {
    printf '%s\n' 'x*x + 3*y - sin(x)' '(x+1' 'sqrt(abs(x-y)) > 2 ? x : y/2' 'sum(x, y, 3, 4) ^ 1.5' \
        'nothing(x)' 'x = y + 1' \
        'min(x, y, 7) * -max(x, 2) % 5' '2 +* 3' 'rint(exp(-x/100) * 1000) / (1 + y^2)' \
        'third(x) && y || x == 2' '1e400 * "a"' >list
}
workload() { $RUN ./formulas 60 list >out; }
failures() {
    fails operands ./formulas
    fails missing ./formulas 1 nowhere
    fails uncaught ./formulas 1 list uncaught
    fails_full full ./formulas 1 list
    for i in 1 2 3; do killed_busy busy.$i TERM ./formulas 10000000 list; done
}
