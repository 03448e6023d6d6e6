# A random formula of 3 literals a clause, in DIMACS' form: -v vars= clauses= seed=.
function random(n) { seed = (seed * 16807) % 2147483647; return int(seed / 7) % n }
BEGIN {
    print "p cnf", vars, clauses
    for (i = 0; i < clauses; i++) {
        a = 1 + random(vars)
        do b = 1 + random(vars); while (b == a)
        do c = 1 + random(vars); while (c == a || c == b)
        print (random(2) ? a : -a), (random(2) ? b : -b), (random(2) ? c : -c), 0
    }
}
