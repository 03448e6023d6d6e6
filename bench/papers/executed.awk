# executed.tsv of apiwattanapong-harrold-2002.sh -> the end of its part of docs/papers.md. -v
# overheads=FILE: the table of bench/chosen.sh.
BEGIN {
    FS = "\t"
    kinds = split("all pspp compact chosen", kind, " ")
    choices = split("hot uncovered group", choice, " ")
}
{
    if (!($1 in seen)) { seen[$1] = 1; name[++programs] = $1 }
    c = $2; sub(/ [0-9]+$/, "", c)
    if (c == "all") { probes[$1] = $5; instructions[$1] = $7; paths[$1] = $4; next }
    watched[$1, c] += $4; p[$1, c, $3] += $5; n[$1, c, $3] += $7
}
# Of groups the mean of the eight; the geometric mean over programs does not suit numbers that may be 0.
function share(value, all, c) { return all ? 100 * value / all / (c == "group" ? 8 : 1) : 0 }
function table(what, value, all,    i, j, k, line, s) {
    line = "| program | " what ", all paths, millions"
    for (j = 1; j <= choices; j++)
        line = line " | " (choice[j] == "hot" ? "hot 90 %" : choice[j] == "group" ? "one of eight groups" : "uncovered")
    print line " |\n|---|---|---|---|---|"
    delete sum; total = 0
    for (i = 1; i <= programs; i++) {
        line = "| " name[i] " | " sprintf("%.1f", all[name[i]] / 1e6)
        for (j = 1; j <= choices; j++) {
            line = line " | "
            for (k = 1; k <= kinds; k++) {
                s = share(value[name[i], choice[j], kind[k]], all[name[i]], choice[j]); sum[j, k] += s
                line = line (k > 1 ? " / " : "") sprintf("%.0f", s)
            }
        }
        print line " |"
    }
    line = "| **mean** | "
    for (j = 1; j <= choices; j++) {
        line = line " | "
        for (k = 1; k <= kinds; k++) line = line (k > 1 ? " / " : "") sprintf("%.0f", sum[j, k] / programs)
    }
    print line " |\n"
}
END {
    print "### What the paper leaves open"
    print ""
    print "How many probes and instructions chosen paths take in a real run: from the counts of all paths, on the work of each program (`bench/papers/executed.c`; of packages with several programs the first). Choices"
    print "are those of `-fcotree-paths=`: the fewest paths that make 90 % of all executions, those that did not run, and eight groups, of which the mean is given. Four numbers: the numbering of all paths, counted only at ends that chosen ones have;"
    print "PSPP; compact numbering; and what `-fcotree-paths=` takes in each function, by guessed frequencies. All in per cent of the same for all paths."
    print ""
    print "Additions and settings that are executed (probes; beginnings of paths are none):"
    print ""
    table("probes", p, probes)
    print "Instructions, roughly: one an addition, setting or beginning, two a count, two more where sums have to be tested (compact numbering):"
    print ""
    table("instructions", n, instructions)
    print "What real builds execute, under cachegrind, in per cent over the plain build (`bench/chosen.sh --programs=all`): the choices as above, with the numbering that is taken; of the groups the first. Where paths are chosen"
    print "edges have counters of their own, which all paths do not need."
    print ""
    while ((getline line < overheads) > 0) {
        print line
        m = split(line, cell, / *\| */)
        if (cell[3] ~ /^-?[0-9]/) {
            rows++
            for (k = 3; k < m; k++) logs[k] += log(1 + cell[k] / 100)
            last = m
        }
    }
    line = "| **geometric mean of " rows " programs** |"
    for (k = 3; k < last; k++) line = line sprintf(" %.1f |", (exp(logs[k] / rows) - 1) * 100)
    if (rows) print line
    print ""
}
