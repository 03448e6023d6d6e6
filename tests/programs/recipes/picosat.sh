# picosat: a SAT solver in C, on random formulas near the threshold. It says 10 for satisfiable, 20 for unsatisfiable.
programs=picosat
configure() { printf '#define PICOSAT_%s "cc"\n' CC CFLAGS VERSION >config.h; }
compile() {
    $CC $CFLAGS -w -DNDEBUG -I. -o picosat "$SRC"/picosat.c "$SRC"/app.c "$SRC"/main.c "$SRC"/version.c
}
inputs() {
    for i in 1 2 3; do awk -v vars=130 -v clauses=560 -v seed="2$i" -f "$RECIPES"/cnf.awk >"$i.cnf"; done
    awk -v vars=400 -v clauses=1704 -v seed=77 -f "$RECIPES"/cnf.awk >hard.cnf
}
workload() {
    local i status
    for i in 1 2 3; do
        status=0
        $RUN ./picosat "$i.cnf" >"$i.out" || status=$?
        echo "$status" >"$i.status"
    done
}
failures() {
    printf 'p cnf 3 2\n1 x 0\n' >letter.cnf
    head -c 2000 1.cnf >short.cnf
    ends letter ./picosat letter.cnf
    ends short ./picosat short.cnf
    ends missing ./picosat nowhere.cnf
    ends option ./picosat --nonsense
    ends twice ./picosat 1.cnf 2.cnf
    killed_reading reading TERM 'p cnf 3 2
1 2 0
' ./picosat
    for i in 1 2 3; do killed_busy busy.$i TERM ./picosat hard.cnf; done
}
