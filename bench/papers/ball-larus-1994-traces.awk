# Section 6.2 of Ball & Larus 1994 as Markdown, from what bench/trace.sh measured of each program (a
# line `program NAME` before it), the bytes of its addresses, and seconds of both placements; -v
# runs=N: the least of N.
$1 == "program" { program[++programs] = p = $2; next }
$1 == "addresses" { addresses[p] = $2; next }
$1 == "seconds" { old_seconds[p] = $2; new_seconds[p] = $3; next }
$1 == "blocks" { branches[p] += $4; next }
$1 == "instructions" || $1 == "resident" || $1 == "placement" { next }
{ bytes[p, $1] += $3; packed[p, $1] += $4; events[p, $1] += $2 }

function millions(n) { return sprintf("%.1f", n / 1e6) }
function add(name, x) {
    logs[name] += log(x)
    many[name]++
    if (many[name] == 1 || x < smallest[name]) smallest[name] = x
    if (many[name] == 1 || x > largest[name]) largest[name] = x
    return x
}
function mean(name) { return many[name] ? exp(logs[name] / many[name]) : 0 }
function ratio(name, a, b) { return b > 0 ? sprintf("%.2f", add(name, a / b)) : "-" }

function table_3(    i, p, old, new) {
    print "\n### Table III: what witnesses save in traces\n"
    print "Old is the outcome of every conditional branch, a byte each (`-fcotree-witness=predicates`), as AE recorded it; new is the placement of section 4 (the default). *File* is the trace with the addresses of loads and"
    print "stores (`-fcotree-trace=addresses`, eight bytes each), *trace* the witnesses alone, both in millions of bytes as written, not packed. *Trace* of the default placement is what was written; what the others would"
    print "have written in the same run is calculated from it. *Run* is seconds of the processor of builds of their own that write witnesses, not addresses: the least of " runs " runs in turn. They are"
    print "the only numbers here that another machine, or a busier one, changes.\n"
    print "| program | old file | new file | old/new | old trace | new trace | old/new | old run, s | new run, s | old/new |\n|---|---|---|---|---|---|---|---|---|---|"
    for (i = 1; i <= programs; i++) {
        p = program[i]
        old = bytes[p, "predicates"]; new = bytes[p, "as-built"]
        printf "| %s |", p
        printf " %s | %s | %s |", millions(old + addresses[p]), millions(new + addresses[p]),
            ratio("file", old + addresses[p], new + addresses[p])
        printf " %s | %s | %s |", millions(old), millions(new), ratio("trace", old, new)
        printf " %.2f | %.2f | %s |\n", old_seconds[p], new_seconds[p],
            ratio("run", old_seconds[p], new_seconds[p])
    }
    printf "| geometric mean | | | %.2f | | | %.2f | | | %.2f |\n", mean("file"), mean("trace"), mean("run")
    print "\n| 1994 | old file | new file | old/new | old trace | new trace | old/new | old run, s | new run, s | old/new |\n|---|---|---|---|---|---|---|---|---|---|"
    print "| compress | 6,026,198 | 4,691,816 | 1.3 | 2,760,522 | 926,180 | 3.0 | 6.6 | 5.4 | 1.2 |\n| sgefa | 1,717,923 | 1,550,131 | 1.1 | 1,298,882 | 1,131,091 | 1.2 | 4.1 | 4.5 | 0.9 |"
    print "| polyd | 19,509,062 | 16,033,055 | 1.2 | 5,523,958 | 2,047,951 | 2.7 | 19.0 | 15.5 | 1.2 |\n| pdp | 11,314,225 | 10,875,475 | 1.0 | 1,496,013 | 1,057,263 | 1.4 | 10.4 | 9.2 | 1.1 |\n"
    printf "Witnesses make traces %.1f to %.1f times smaller (1.2 to 3.0 in 1994), files with addresses %.1f to %.1f times (1.0 to 1.3), and runs %.2f to %.2f times shorter (0.9 to 1.2)", smallest["trace"], largest["trace"], smallest["file"], largest["file"], smallest["run"], largest["run"]
    print ". Records of calls that the compiler cannot see through (which function was entered), sixteen bytes each as written, are"
    print "the same for both and not in the table: the paper's programs, linked whole, had none."
}

function figure_22(    i, p, tree, coded, bits, wins, packed_wins) {
    print "\n### Figure 22: spanning tree or bit tracing\n"
    print "Bits for each executed branch: the spanning tree's witnesses, a byte each; the same with as many bits as the function's witnesses need, values shared where no branch tells"
    print "them apart; and bit tracing, as many bits at each predicate as its targets need. Then the same, packed as traces are. Calculated from the trace of the default placement.\n"
    print "| program | tree, bytes | tree, log2 N bits | bit tracing | tree/bit tracing | packed: tree, bytes | tree, log2 N bits | bit tracing |\n|---|---|---|---|---|---|---|---|"
    for (i = 1; i <= programs; i++) {
        p = program[i]
        tree = 8 * bytes[p, "forest"] / branches[p]
        coded = 8 * bytes[p, "log2"] / branches[p]
        bits = 8 * bytes[p, "packed-bits"] / branches[p]
        printf "| %s | %.2f | %.2f | %.2f | %.1f | %.3f | %.3f | %.3f |\n", p, add("tree", tree),
            add("coded", coded), add("bits", bits), add("gain", tree / bits),
            add("packed tree", 8 * packed[p, "forest"] / branches[p]),
                add("packed coded", 8 * packed[p, "log2"] / branches[p]),
                add("packed bits", 8 * packed[p, "packed-bits"] / branches[p])
        wins += coded < bits
        packed_wins += packed[p, "forest"] < packed[p, "packed-bits"]
    }
    printf "| geometric mean | %.2f | %.2f | %.2f | %.1f | %.3f | %.3f | %.3f |\n\n", mean("tree"),
        mean("coded"), mean("bits"), mean("gain"), mean("packed tree"), mean("packed coded"),
        mean("packed bits")
    printf "The paper: bit tracing makes the trace 3 to 7 times smaller than a byte for each witness; here %.1f to %.1f times. It leaves open what the spanning tree with as few bits as needed would do: it\n", smallest["gain"], largest["gain"]
    printf "writes fewer bits than bit tracing in %d of %d programs. What is kept is packed, and then little is left of the difference: a byte for each of the tree's witnesses takes %.2f times the bits of bit\n", wins, programs, mean("packed tree") / mean("packed bits")
    printf "tracing (less than it in %d programs), as few bits as needed %.2f times: where bits of several branches share bytes, what repeats is harder to find. A witness is a byte here because storing it takes one\n", packed_wins, mean("packed coded") / mean("packed bits")
    print "instruction, and the tree has fewer of them."
}

END { table_3(); figure_22() }
