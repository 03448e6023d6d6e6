# all.tsv of apiwattanapong-harrold-2002.sh -> its part of docs/papers.md.
BEGIN { FS = "\t" }
{
    functions++
    if (!($1 in seen)) { seen[$1] = ++programs; name[programs] = $1 }
    p = seen[$1]
    for (i = 6; i <= 13; i++) if ($i != "-") { sum[p, i] += $i; n[p, i]++; sum[0, i] += $i; n[0, i]++ }
    count[p]++
    # thirds of the paper's axis: trees, between, chains
    kind = $5 < 0.25 ? 1 : $5 < 0.999 ? 2 : 3
    kinds[kind]++; two[kind] += $3 == 2
    for (i = 6; i <= 11; i++) if ($i != "-") { by[kind, i] += $i; m[kind, i]++ }
    below += $6 < 60; most += $10 != "-" && $10 >= 90; five += $10 != "-"
}
function mean(s, k) { return k ? sprintf("%.0f", s / k) : "-" }
function row(label, p,    i, line) {
    line = "| " label " | " (p ? count[p] : functions)
    for (i = 6; i <= 13; i++) line = line " | " mean(sum[p, i], n[p, i])
    print line " |"
}
END {
    print "## Apiwattanapong & Harrold 2002: Selective path profiling"
    print ""
    print "PASTE 2002, studies 1 and 2. The paper counts probes (edges whose label is not 0 after labels are pushed down) that its algorithm SPP needs for one path and for random subsets"
    print "of 2 to 5 paths, in per cent of those for all paths, in the 279 methods of javac with more than one path. SPP lets paths that are not chosen share the sums of chosen"
    print "ones (`tests/unit/chosen_paths.c` keeps the examples); here labels are those of PSPP (Afraz, Saha & Kanade 2015, the tight variant), which is right. Graphs are those of all functions"
    print "with more than one path of " programs " programs; paths are Ball and Larus's, at most 4096 a function (more edges end paths where there are more). One path: all, or 200 at random; subsets: 100 of each size."
    print ""
    print "| program | functions | 1 path | 2 | 3 | 4 | 5 | counters for 1 path | compact, 1 path | cheapest, 1 path |"
    print "|---|---|---|---|---|---|---|---|---|---|"
    for (p = 1; p <= programs; p++) row(name[p], p)
    row("**all**", 0)
    print ""
    print "All in per cent of the same for all paths, averaged over functions. Compact numbering: additions and settings. Cheapest: expected executions of the code that `-fcotree-paths=` chooses"
    print "(`src/plan/path_code.c`), by guessed frequencies: the paper leaves executed probes to future work."
    print ""
    print "| paths / 2^probes | functions | with two paths | 1 path | 2 | 3 | 4 | 5 | counters for 1 path |"
    print "|---|---|---|---|---|---|---|---|---|"
    split("below 1/4: like trees;1/4 to 1;1: chains of branches", label, ";")
    for (k = 1; k <= 3; k++) {
        line = "| " label[k] " | " kinds[k] " | " two[k] + 0
        for (i = 6; i <= 11; i++) line = line " | " mean(by[k, i], m[k, i])
        print line " |"
    }
    print ""
    printf "The paper: one path needs less than 60 %% of the probes in about half of the methods; here in %.0f %% of the functions. Five random paths cover most edges in about 70 %% of its methods;", 100 * below / functions
    printf " here they need 90 %% of the probes or more in %.0f %% of the functions with more than five paths. The more a function is like a tree, the less one path needs, as the paper found.\n", five ? 100 * most / five : 0
    print ""
    print "![Figure 6](papers/apiwattanapong-harrold-2002-6.svg)"
    print ""
    print "![Figure 7](papers/apiwattanapong-harrold-2002-7.svg)"
    print ""
}
