# minisat: a SAT solver, on random formulas near the threshold. It says 10 for satisfiable, 20 for unsatisfiable.
programs=minisat
language=C++
configure() { :; }
compile() {
    $CXX $CXXFLAGS -std=gnu++98 -w -D__STDC_LIMIT_MACROS -D__STDC_FORMAT_MACROS -I"$SRC" -o minisat \
        "$SRC"/minisat/simp/*.cc "$SRC"/minisat/core/Solver.cc "$SRC"/minisat/utils/*.cc -lz
}
inputs() {
    for i in 1 2 3; do awk -v vars=130 -v clauses=560 -v seed="1$i" -f "$RECIPES"/cnf.awk >"$i.cnf"; done
    awk -v vars=400 -v clauses=1704 -v seed=77 -f "$RECIPES"/cnf.awk >hard.cnf
}
workload() {
    local i status
    for i in 1 2 3; do
        status=0
        $RUN ./minisat -verb=0 "$i.cnf" "$i.out" >"$i.said" || status=$?
        echo "$status" >"$i.status"
    done
}
failures() {
    printf 'p cnf 3 2\n1 x 0\n' >letter.cnf
    head -c 2000 1.cnf >short.cnf
    fails letter ./minisat -verb=0 letter.cnf
    ends short ./minisat -verb=0 short.cnf
    fails missing ./minisat nowhere.cnf
    fails option ./minisat --nonsense
    fails range ./minisat -var-decay=7 1.cnf
    for i in 1 2 3; do killed_busy busy.$i TERM ./minisat -verb=0 hard.cnf; done
    killed_busy busy.quit QUIT ./minisat -verb=0 hard.cnf
}
