# planning.txt, costs.tsv (bench/run) and counts.tsv (bench/papers/placements, the program's name
# first) as the Markdown part of the paper, and the data of its figures into $bars/N.bars; -v
# note=TEXT: what is to be said of the costs. Fails when a build executed other increments than were
# computed for it.
BEGIN { FS = "\t" }
FNR == 1 { file++ }
file == 1 { planning = planning "    " $0 "\n"; next }
file == 2 {
    if (FNR > 1) {
        instructions[$1, $2] = $3 - $4
        if ($5 != "-") executed[$1, $2] = $5
        code[$1, $2] = $6
        compiler[$1, $2] = $9
    }
    next
}
{
    if (!($1 in known)) { known[$1] = 1; program[++programs] = $1 }
    if ($2 == "count") count[$1, $3] = $4
    if ($2 == "seconds") seconds[$1, $3] = $4
    if ($2 == "built") { built[$1, $3] = $6; built_jumps[$1, $3] = $7; sets[$1]++ }
    if ($2 == "plan") {
        probes[$1, $3] = $4
        no_jump[$1, $3] = $5
        increments[$1, $3] = $6
        jumps[$1, $3] = $7
    }
}

# ---- Numbers ----
function thousands(n,    s, r) {
    s = sprintf("%.0f", n)
    while (length(s) > 3) { r = "," substr(s, length(s) - 2) r; s = substr(s, 1, length(s) - 3) }
    return s r
}
function percent(x) { return sprintf("%.1f %%", 100 * x) }
function reduction(p, plan) { return increments[p, "every-block"] / increments[p, plan] }
# The paper's formula: (cost * basic blocks) / (cost * increments + extra jumps).
function instrumentation(p, plan, cost) {
    return cost * increments[p, "every-block"] / (cost * increments[p, plan] + jumps[p, plan])
}
function over(p, column) { return instructions[p, column] / instructions[p, "plain"] }
function has(p, column) { return ((p, column) in instructions) && ((p, "plain") in instructions) }
# Geometric mean, smallest and largest of what add() was given under a name.
function add(name, x) {
    logs[name] += log(x)
    many[name]++
    if (many[name] == 1 || x < smallest[name]) smallest[name] = x
    if (many[name] == 1 || x > largest[name]) largest[name] = x
    return x
}
function mean(name) { return many[name] ? exp(logs[name] / many[name]) : 0 }
function plus(x) { return sprintf("%.1f %%", 100 * (x - 1)) }
function heading(text) { printf "\n### %s\n\n", text }
function image(n, text) { printf "\n![%s](papers/ball-larus-1994-%s.svg)\n", text, n }

function table_1(    i, p, ratio, line) {
    heading("Table I: what placing counters takes")
    print "| program | code and data, bytes | functions | blocks | every block, ms | spanning tree, ms | per block, ns | compiler, tree / every block |"
    print "|---|---|---|---|---|---|---|---|"
    for (i = 1; i <= programs; i++) {
        p = program[i]
        ratio = "-"
        if (compiler[p, "every-block"] + 0 > 0 && compiler[p, "edges"] + 0 > 0)
            ratio = sprintf("%.2f", add("compiler", compiler[p, "edges"] / compiler[p, "every-block"]))
        add("per block", seconds[p, "edges"] / count[p, "blocks"] * 1e9)
        printf "| %s | %s | %s | %s | %.2f | %.2f | %.0f | %s |\n", p,
            (p, "plain") in code ? thousands(code[p, "plain"]) : "-", thousands(count[p, "functions"]),
            thousands(count[p, "blocks"]),
            1000 * seconds[p, "every-block"], 1000 * seconds[p, "edges"],
                seconds[p, "edges"] / count[p, "blocks"] * 1e9, ratio
    }
    print "\nMilliseconds of processor time to plan all functions of the program, weights included, without compiling. The last column is all that clang"
    print "does on the recipe's unit, in instructions. One function of 10^3 to 10^6 blocks, processor seconds (`bench/planning.sh`):\n"
    printf "%s", planning
    print "\nThe paper's Table I, seconds to instrument an executable on a DECstation 5000 (times as in the copy we have; those of xlisp, eqntott and"
    print "spice do not follow their sizes):\n"
    print "| benchmark | size, bytes | redundant, s | optimal, s | increase |\n|---|---|---|---|---|"
    print "| cc1 | 1,075,840 | 9.2 | 12.4 | 1.35 |\n| espresso | 298,032 | 2.2 | 2.9 | 1.32 |\n| xlisp | 175,920 | 3.8 | 4.8 | 1.27 |\n| eqntott | 94,924 | 1.9 | 2.5 | 1.32 |"
    print "| spice | 551,836 | 1.1 | 1.4 | 1.27 |\n| doduc | 280,940 | 1.9 | 2.5 | 1.32 |\n| dnasa7 | 162,996 | 1.1 | 1.4 | 1.27 |\n| matrix300 | 122,440 | 0.9 | 1.1 | 1.22 |"
    print "| fpppp | 254,720 | 1.7 | 2.1 | 1.24 |\n| tomcatv | 125,316 | 0.8 | 1.1 | 1.38 |\n"
    printf "In 1994 finding loops and weights made the whole of instrumenting 22 to 38 %% slower. Here weights and the tree take %.0f ns a block\n", mean("per block")
    print "(geometric mean), which is nothing beside compiling; a counter in every block needs no thought, so the ratio of the two columns says little."
    if (many["compiler"])
        printf "What the compiler as a whole executes is %.2f times that of a counter in every block: fewer counters are less code to optimise.\n", mean("compiler")
}

function table_2(    i, p, all, all_blocks, profiled, free_of) {
    heading("Table II: edges, profiled edges, no-jump edges")
    print "| program | total edges | profiled | of total | no-jump | of profiled |\n|---|---|---|---|---|---|"
    for (i = 1; i <= programs; i++) {
        p = program[i]
        printf "| %s | %s | %s | %.0f %% | %s | %.0f %% |\n", p, thousands(count[p, "edges"]),
            thousands(probes[p, "edges"]), 100 * add("profiled", probes[p, "edges"] / count[p, "edges"]),
            thousands(no_jump[p, "edges"]), 100 * add("no jump", no_jump[p, "edges"] / probes[p, "edges"])
        all += count[p, "edges"]
        all_blocks += count[p, "blocks"]
        profiled += probes[p, "edges"]
        free_of += no_jump[p, "edges"]
    }
    printf "| all | %s | %s | %.0f %% | %s | %.0f %% |\n", thousands(all), thousands(profiled),
        100 * profiled / all, thousands(free_of), 100 * free_of / profiled
    print "\n| 1994 | total edges | profiled | of total | no-jump | of profiled |\n|---|---|---|---|---|---|"
    print "| cc1 | 48,398 | 20,577 | 43 % | 10,533 | 51 % |\n| espresso | 11,059 | 4,540 | 41 % | 2,426 | 53 % |\n| xlisp | 4,813 | 2,207 | 46 % | 1,264 | 57 % |"
    print "| eqntott | 3,095 | 1,296 | 42 % | 756 | 58 % |\n| spice | 15,145 | 5,888 | 39 % | 3,131 | 53 % |\n| doduc | 7,957 | 3,128 | 39 % | 1,672 | 53 % |"
    print "| dnasa7 | 5,517 | 2,274 | 41 % | 1,241 | 55 % |\n| matrix300 | 4,744 | 1,969 | 42 % | 1,116 | 57 % |\n| fpppp | 7,042 | 2,887 | 41 % | 1,630 | 56 % |"
    print "| tomcatv | 4,661 | 1,923 | 41 % | 1,099 | 57 % |\n"
    print "Total edges are branches and returns; the edge from EXIT to the root and those that stand for calls that do not return are not counted. A"
    print "no-jump edge here is one whose counter stands at the start of a block that exists anyway: its source has no other way out or its target no other"
    print "way in. Any other edge gets a block of its own; whether that costs a jump is then up to clang's layout, so this is a lower bound."
    printf "The share of profiled edges is %.0f to %.0f %% (39 to 46 %% in 1994), and %.0f to %.0f %% of them need no jump (51 to 58 %%). Our graphs have %.2f edges a block, those of 1994 about\n", 100 * smallest["profiled"], 100 * largest["profiled"], 100 * smallest["no jump"], 100 * largest["no jump"], all / all_blocks
    print "1.7: clang's graph before optimisation has many blocks with one way in or one way out that finished machine code does not have, so |E| - |V| + 1 is a smaller part of |E|, and"
    print "more edges begin or end alone."
}

function cost(p, column, name) { return has(p, column) ? plus(add(name, over(p, column))) : "-" }
function bar(p, column) { return has(p, column) ? sprintf("\t%.4f", over(p, column)) : "\t-" }
function figure_19(    i, p) {
    heading("Figure 19: normalised cost")
    print "| program | plain, instructions | every block (redundant) | clang's own edge counters | spanning tree (optimal) |\n|---|---|---|---|---|"
    print "\tevery block (redundant)\tclang\tspanning tree (optimal)" >(bars "/19.bars")
    for (i = 1; i <= programs; i++) {
        p = program[i]
        if (!has(p, "edges")) continue
        printf "| %s | %s | %s | %s | %s |\n", p, thousands(instructions[p, "plain"]),
            cost(p, "every-block", "redundant"), cost(p, "fair", "clang"), cost(p, "edges", "optimal")
        print p bar(p, "every-block") bar(p, "fair") bar(p, "edges") >(bars "/19.bars")
    }
    printf "| geometric mean | | %s | %s | %s |\n", plus(mean("redundant")), plus(mean("clang")),
        plus(mean("optimal"))
    image("19", "Figure 19")
    print "\nClang's own are `-fprofile-generate -mllvm -disable-vp=true`, in the place of the paper's third tool, pixie."
    printf "\nThe paper: redundant profiling costs 10 to 225 %% of the run time, optimal profiling 5 to 91 %%; doduc goes from 38 to 5 %%. Here, in instructions: %s to %s, and %s to %s.\n", plus(smallest["redundant"]), plus(largest["redundant"]), plus(smallest["optimal"]), plus(largest["optimal"])
    print "The order is the same, the level is not: an increment is one instruction on x86-64 where qpt needed 5 to 11, and the optimiser moves counters and code together. Costs"
    print "below zero are movements of code layout (docs/benchmarks.md)."
}

# Of the plans in the program's map; only of builds that carry all sets, which is what the script builds.
function as_built(p, jump, name) {
    return sets[p] == 6 ? sprintf("%.2f",
        add(name, built[p, "every-block"] / (built[p, "edges"] + jump * built_jumps[p, "edges"]))) : "-"
}
function figure_20(    i, p) {
    heading("Figure 20: fewer increments, less instrumentation")
    print "| program | increments: every block, millions | spanning tree, millions | reduction | instrumentation, 5 and 1 | instrumentation, 1 and 1 | as built: reduction | as built: 1 and 1 | instructions a block |\n|---|---|---|---|---|---|---|---|---|"
    print "\tincrements\tinstrumentation (5 an increment, 1 a jump)\tinstrumentation (1 and 1)" >(bars "/20.bars")
    for (i = 1; i <= programs; i++) {
        p = program[i]
        printf "| %s | %.1f | %.1f | %.2f | %.2f | %.2f | %s | %s | %s |\n", p,
            increments[p, "every-block"] / 1e6, increments[p, "edges"] / 1e6,
            add("fewer", reduction(p, "edges")), add("less 5", instrumentation(p, "edges", 5)),
            add("less 1", instrumentation(p, "edges", 1)), as_built(p, 0, "built"), as_built(p, 1, "built 1"),
                (p, "plain") in instructions ? sprintf("%.1f",
                instructions[p, "plain"] / count[p, "runs"]) : "-"
        printf "%s\t%.4f\t%.4f\t%.4f\n", p, reduction(p, "edges"), instrumentation(p, "edges", 5),
            instrumentation(p, "edges", 1) >(bars "/20.bars")
    }
    printf "| geometric mean | | | %.2f | %.2f | %.2f | %s | %s | |\n", mean("fewer"), mean("less 5"),
        mean("less 1"), many["built"] == programs ? sprintf("%.2f", mean("built")) : "",
        many["built"] == programs ? sprintf("%.2f", mean("built 1")) : ""
    image("20", "Figure 20")
    print "\nReduction: increments of counters in every block / of the spanning tree's chords, guessed weights. Instrumentation: (5 blocks) / (5 increments +"
    print "extra jumps), as in the paper, and with an increment of one instruction, as here. As built: what `-fcotree=edges` really placed. Instructions a block: of the plain build, the C library's included, by the blocks that its own source executed (sed spends most of its work inside the C library)."
    printf "\nThe paper: 3 to 4 times fewer increments and 2 to 3 times less overhead for its four C programs (eqntott 4.3 times), little for FORTRAN\n"
    printf "programs with large blocks (fpppp has 103.5 instructions a block, doduc 12.4). Here %.1f to %.1f times fewer. Where an increment is as cheap as a jump,\n", smallest["fewer"], largest["fewer"]
    printf "jumps matter more: %.2f times less in the mean instead of %.2f.\n", mean("less 1"), mean("less 5")
}

function figure_21(    i, p, n, plans, k, line, data) {
    heading("Figure 21: the three profiling problems")
    n = split("edges figure-11 blocks knuth", plans, " ")
    print "| program | Eprof(Ecnt) | Vprof(Ecnt), Figure 11 | Vprof(Ecnt), union-find | Vprof(Vcnt), Knuth-Stevenson | measured: edges | measured: knuth |\n|---|---|---|---|---|---|---|"
    print "\tEprof(Ecnt)\tVprof(Ecnt), Figure 11\tVprof(Ecnt), union-find\tVprof(Vcnt)" >(bars "/21.bars")
    for (i = 1; i <= programs; i++) {
        p = program[i]
        line = "| " p; data = p
        for (k = 1; k <= n; k++) {
            line = line sprintf(" | %.2f", add("reduction " plans[k], instrumentation(p, plans[k], 5)))
            data = data sprintf("\t%.4f", instrumentation(p, plans[k], 5))
            add("exact " plans[k], increments[p,
                plans[k] == "edges" ? "exact" : "exact-" plans[k]] / increments[p, "exact"])
            add("counters " plans[k], probes[p, plans[k]] / probes[p, "edges"])
            add("increments " plans[k], increments[p, plans[k]] / increments[p, "edges"])
        }
        print line " | " (has(p, "edges") ? plus(add("cost edges", over(p, "edges"))) : "-") " | " (has(p,
            "knuth") ? plus(add("cost knuth", over(p, "knuth"))) : "-") " |"
        print data >(bars "/21.bars")
    }
    line = "| geometric mean"
    for (k = 1; k <= n; k++) line = line sprintf(" | %.2f", mean("reduction " plans[k]))
    print line " | " (many["cost edges"] ? plus(mean("cost edges")) : "-") " | " (many["cost knuth"] == many["cost edges"] ? plus(mean("cost knuth")) : "") " |"
    image("21", "Figure 21")
    print "\nInstrumentation reduction = (5 blocks) / (5 increments + extra jumps), all with the same guessed weights; the last two columns are instructions over the"
    print "plain build, from builds of their own. Beside the edge profile, geometric means:\n"
    print "| | counters | increments, guessed weights | increments, measured weights |\n|---|---|---|---|"
    for (k = 1; k <= n; k++)
        printf "| %s | %.3f | %.3f | %.3f |\n", plans[k], mean("counters " plans[k]),
            mean("increments " plans[k]), mean("exact " plans[k])
    print "\nAs in the paper, vertex profiles from edge counters gain almost nothing over edge profiles, whichever rule removes counters, and counters in vertices are the"
    print "dearest of the three; an edge profile tells more and costs less. Parallel edges, which would be free for a vertex profile, are one edge in our graphs."
}

function figure_24(    i, p, n, plans, k, line, data) {
    heading("Figure 24: guessed against measured weights, maximum against minimum spanning tree")
    n = split("edges paper exact ours-min paper-min exact-min", plans, " ")
    print "| program | ours, max | Heuristic-Max | Exact-Max | ours, min | Heuristic-Min | Exact-Min | ours / best | the paper's / best |\n|---|---|---|---|---|---|---|---|---|"
    print "\tours, max\tHeuristic-Max\tExact-Max\tours, min\tHeuristic-Min\tExact-Min" >(bars "/24.bars")
    for (i = 1; i <= programs; i++) {
        p = program[i]
        line = "| " p; data = p
        for (k = 1; k <= n; k++) {
            line = line sprintf(" | %.2f", add("24 " plans[k], reduction(p, plans[k])))
            data = data sprintf("\t%.4f", reduction(p, plans[k]))
        }
        printf "%s | %.3f | %.3f |\n", line,
            add("ours / best", increments[p, "edges"] / increments[p, "exact"]),
            add("paper / best", increments[p, "paper"] / increments[p, "exact"])
        print data >(bars "/24.bars")
    }
    line = "| geometric mean"
    for (k = 1; k <= n; k++) line = line sprintf(" | %.2f", mean("24 " plans[k]))
    printf "%s | %.3f | %.3f |\n", line, mean("ours / best"), mean("paper / best")
    image("24", "Figure 24")
    print "\nIncrements of counters in every block / those of the tree's chords. Heuristic: section 5 as printed. Ours: the repaired rule, which conserves flow on every graph."
    print "Exact: the counts of the same run."
    printf "\nThe paper: the difference between heuristic and exact weights is 1 to 34 %%, and Heuristic-Max is always better than Heuristic-Min. Here the paper's heuristic\n"
    printf "executes %s to %s more increments than the best tree, ours %s to %s",
        plus(smallest["paper / best"]), plus(largest["paper / best"]), plus(smallest["ours / best"]),
        plus(largest["ours / best"])
    print ". What the tree chooses matters as much as it did: the lightest"
    printf "tree by measured weights executes %.1f times the increments of the heaviest (geometric mean).\n",
        mean("24 exact") / mean("24 exact-min")
}

function figure_25(    i, p) {
    heading("Figure 25: what measured weights save")
    print "| program | guessed weights | measured weights |\n|---|---|---|"
    print "\tguessed weights\tmeasured weights" >(bars "/25.bars")
    for (i = 1; i <= programs; i++) {
        p = program[i]
        if (!has(p, "use") || !has(p, "edges")) continue
        printf "| %s | %s | %s |\n", p, plus(over(p, "edges")), plus(add("use", over(p, "use")))
        add("both", over(p, "edges"))
        worse += over(p, "use") > over(p, "edges")
        printf "%s\t%.4f\t%.4f\n", p, over(p, "edges"), over(p, "use") >(bars "/25.bars")
    }
    printf "| geometric mean | %s | %s |\n", plus(mean("both")), plus(mean("use"))
    image("25", "Figure 25")
    print "\nInstructions over the plain build: `-fcotree=edges` and `-fcotree=edges -fcotree-use=` a profile of the same work. The second also tells clang's optimiser what was counted, so the"
    print "difference is not the placement's alone, and the program may become faster than the plain one; Figure 24 has what the placement gains."
    printf "\nThe paper saw little gain from exact weights, and one program of ten that became slower with them. Here a guess costs %.0f %% more increments than the best tree in the mean, and %d of %d\n", 100 * (mean("ours / best") - 1), worse, many["use"]
    print "programs execute more instructions with measured weights than with guessed ones."
}

function variation(plan, text,    i) {
    for (i = 1; i <= programs; i++)
        add("vary " plan, increments[program[i], plan] / increments[program[i], "exact"])
    printf "| %s | %.3f | %.3f | %.3f |\n", text, mean("vary " plan), smallest["vary " plan],
        largest["vary " plan]
}
# In how many programs one plan executes fewer increments than another.
function better(plan, other,    i, n) {
    for (i = 1; i <= programs; i++) n += increments[program[i], plan] < increments[program[i], other]
    return n + 0
}
function variations(    rules, names, k) {
    heading("Section 6.4: variations of the heuristic")
    print "Increments over those of the best tree (Exact-Max), maximum spanning trees: geometric mean, smallest and largest over the programs.\n"
    print "| weights | mean | smallest | largest |\n|---|---|---|---|"
    split("paper ours", rules, " "); names["paper"] = "the paper's"; names["ours"] = "ours"
    for (k = 1; k <= 2; k++) {
        variation(rules[k] == "ours" ? "edges" : "paper",
            names[rules[k]] ", loops run 10 times, branches even")
        variation(rules[k] "-loop-2", names[rules[k]] ", loops run 2 times")
        variation(rules[k] "-loop-5", names[rules[k]] ", loops run 5 times")
        variation(rules[k] "-loop-100", names[rules[k]] ", loops run 100 times")
        variation(rules[k] "-first-3", names[rules[k]] ", the first way out 3 times as likely")
        variation(rules[k] "-first-1/3", names[rules[k]] ", the first way out a third as likely")
        variation(rules[k] "-to-loops-2", names[rules[k]] ", ways to loops 2 times as likely")
        variation(rules[k] "-to-loops-5", names[rules[k]] ", ways to loops 5 times as likely")
    }
    variation("goldberg", "Goldberg 1991: postorder numbers")
    variation("wall", "Wall 1991: loops only")
    variation("uniform", "all edges alike")
    variation("exact-min", "the worst tree there is")
    print "\nWays to loops: edges to a loop's head, straight or through blocks with one way out. The first way out of a branch is the condition's true side in clang's graphs."
    printf "\nThe paper gives no numbers. It says that varying the probability of branches has no great effect for most programs; bending all of them one way costs increments here, with its rule\n"
    printf "(%.2f and %.2f against %.2f) and with ours (%.2f and %.2f against %.2f). ",
        mean("vary paper-first-3"), mean("vary paper-first-1/3"), mean("vary paper"),
        mean("vary ours-first-3"), mean("vary ours-first-1/3"), mean("vary edges")
    printf "It says that favouring edges to loops helps a few programs: five\ntimes as likely, it saves increments in %d of %d programs with its rule (in %d it costs some) and in %d with ours (%d), never much. How often a loop is taken to run matters only when it is too ", better("paper-to-loops-5", "paper"), programs, better("paper", "paper-to-loops-5"), better("ours-to-loops-5", "edges"), better("edges", "ours-to-loops-5")
    print "seldom (2), since the order of weights decides and not their size. As section 7.4 says, what counts is that nesting in conditions lowers a weight:"
    print "rules that do not know it (Goldberg's, Wall's, or none) are far behind."
}

# Builds of their own executed what was computed, the counters of main's activations included; where
# the work itself is not the same each time, no comparison. Calls of functions of other units that
# are declared pure are merged where few counters stand between them: xz-utils calls lzma_vli_size
# once less, two increments, in index_hash.c.
function verify(    i, p, k, n, columns, equal, differing, builds, most, full, merged) {
    n = split("edges every-block knuth", columns, " ")
    merged["xz-utils", "edges"] = 2
    for (i = 1; i <= programs; i++) {
        p = program[i]
        if (!((p, "every-block") in executed)) continue
        if (executed[p, "every-block"] != built[p, "every-block"] + count[p, "balance"]) {
            differing = differing (differing ? ", " : "") p
            continue
        }
        for (k = 1; k <= n; k++) {
            if (!((p, columns[k]) in executed && (p, columns[k]) in built)) continue
            builds++
            if (executed[p, columns[k]] + merged[p, columns[k]] == built[p, columns[k]] + count[p, "balance"])
                {
                equal++
                continue
            }
            printf "%s: %s: %.0f increments computed, %.0f executed\n", p, columns[k],
                built[p, columns[k]] + count[p, "balance"], executed[p, columns[k]] >"/dev/stderr"
            status = 1
        }
    }
    for (i = 1; i <= programs; i++) if (sets[program[i]] > most) most = sets[program[i]]
    for (i = 1; i <= programs; i++) full += sets[program[i]] == most
    heading("Are computed increments right?")
    printf "Every program carried up to %d counter sets at once (%d of %d programs all of them), every-edge among them. For each set the increments were computed from the counts of all\n", most, full, programs
    print "edges and the plan in the program's map, and compared with the sum of the set's counters after the same run, read without the decoder: all equal, or `make papers` fails."
    if (builds)
        printf "Builds of their own with one set (edges, every-block, knuth): %d of %d executed what was computed.", equal, builds
    if (differing)
        printf " Not compared across builds: %s, whose work is not the same each time: some read their own memory map at start (grep, diffutils, m4) or their environment (gawk).", differing
    if (("xz-utils", "edges") in executed)
        printf " xz-utils calls a function that is declared pure once less in its build with the set edges alone, which are two increments: the optimiser may merge such calls."
    print ""
}

END {
    print "\n## Ball & Larus 1994: Optimally profiling and tracing programs"
    print "\nACM TOPLAS 16(4), section 6. The paper's tool, qpt, instruments MIPS executables of ten SPEC89 programs; cotree instruments clang's graph before any optimisation, at -O2,"
    printf "for %d programs of Debian (`tests/programs/versions.txt`; the work is in `tests/programs/recipes`). Figures without numbers in the paper's text are compared by what\n", programs
    print "the text says of them.\n"
    print "| the paper | here |\n|---|---|"
    print "| redundant: a counter in every vertex | `-fcotree=every-block` |"
    print "| optimal, Eprof(Ecnt): chords of a maximum spanning tree | `-fcotree=edges`, the default |"
    print "| Vprof(Ecnt), Figure 11's heuristic | `-fcotree=blocks -fcotree-placement=figure-11` |"
    print "| Vprof(Ecnt), every counter that is not needed beside the tree | `-fcotree=blocks` |"
    print "| Vprof(Vcnt), Knuth & Stevenson 1973 | `-fcotree=blocks -fcotree-placement=knuth` |"
    print "| heuristic weighting | guessed weights: ours (section 5 repaired) unless said otherwise |"
    print "| exact weighting | `-fcotree=edges -fcotree-use=` a profile of the same work |"
    print "\nIncrements and extra jumps are computed as in the paper, from one run's counts of all edges and plans made from graphs and weights alone; they do not depend on what the optimiser"
    print "makes of a counter, nor on what `-fcotree=edges` knows beyond the paper (what conditions of loops mean, what a jump costs, entries of static functions that follow from their"
    print "calls, loops whose counts are taken from their trips). Costs are instructions of real builds under cachegrind." (note ? "\n" note : "")
    table_1()
    table_2()
    figure_19()
    figure_20()
    figure_21()
    figure_24()
    figure_25()
    variations()
    verify()
    exit status
}
