# results.tsv of bench/run as tables: per program the cost over its base, and the geometric means of
# the ratios. The last line is the sum of it.
BEGIN {
    FS = "\t"
    order = "edges durable paths pathloops pathmixed pathuse pathhot pathrest group1 group2 group3 group4 group5 group6 group7 group8 blocks redundant use generate fair instr gcc trace trace-calls trace-forest-first trace-predicates trace-paths trace-packed-bits trace-log2 trace-addresses crash crash-paths crash-faults crash-functions crash-calls crash-blocks guard lto-edges lto-fair thin-edges thin-fair"
    columns = split(order, column, " ")
}
NR == 1 { next }
{
    if (!($1 in seen)) { seen[$1] = 1; name[++names] = $1 }
    there[$1, $2] = 1
    used[$2] = 1
    instructions[$1, $2] = $3 - $4
    dump[$1, $2] = $4
    increments[$1, $2] = $5
    code[$1, $2] = $6
    file[$1, $2] = $7
    rss[$1, $2] = $8
    compile[$1, $2] = $9
    half[$1] = $10
    language[$1] = $11
}
function base(c) {
    return c == "gcc" ? "gccplain" : match(c, /^(lto|thin)-/) ? substr(c, 1, RLENGTH) "plain" : "plain"
}

# One table: the value of every column over its base, in per cent (or as it is), and the geometric
# mean over the programs that have both.
function table(title, value, plain,    i, j, c, n, sum, ratio, line) {
    printf "\n%s\n%-10s", title, ""
    for (j = 1; j <= columns; j++) if (column[j] in used) printf " %9s", column[j]
    print ""
    delete log_sum; delete many
    for (i = 1; i <= names; i++) {
        n = name[i]
        printf "%-10s", n
        for (j = 1; j <= columns; j++) {
            c = column[j]
            if (!(c in used)) continue
            if (!((n, c) in there) || !((n, base(c)) in there) || value[n, c] == "-" ||
                value[n, base(c)] == "-" || value[n, base(c)] == 0) {
                printf " %9s", "-"
                continue
            }
            ratio = value[n, c] / value[n, base(c)]
            log_sum[c] += log(ratio)
            many[c]++
            printf " %8.1f%%", (ratio - 1) * 100
        }
        print ""
    }
    printf "%-10s", "geomean"
    for (j = 1; j <= columns; j++) {
        c = column[j]
        if (!(c in used)) continue
        if (many[c]) printf " %8.1f%%", (exp(log_sum[c] / many[c]) - 1) * 100
        else printf " %9s", "-"
    }
    print ""
}

# halves_mean(COLUMN, HALF, LANGUAGE): sets `many`, `mean` (per cent over the plain build), `dearer`
# and `more`: how many programs cost more than with fair clang by more than a point, and how many
# execute more increments. Only programs that were measured in both ways count.
function halves_mean(c, half_wanted, language_wanted,    i, n, sum) {
    many_in = dearer = more = sum = 0
    for (i = 1; i <= names; i++) {
        n = name[i]
        if (half[n] != half_wanted || language[n] != language_wanted) continue
        if (!((n, c) in there) || !((n, "fair") in there) || !((n, "plain") in there)) continue
        many_in++
        sum += log(instructions[n, c] / instructions[n, "plain"])
        if ((instructions[n, c] - instructions[n, "fair"]) / instructions[n, "plain"] > 0.01) dearer++
        if (increments[n, c] != "-" && increments[n, c] > increments[n, "fair"]) more++
    }
    mean = many_in ? (exp(sum / many_in) - 1) * 100 : 0
}

# Both halves beside each other. What tells how honest the others are is the quotient of the halves'
# ratios: 1 when programs that nobody has looked at cost what those do that cotree was made cheap
# on.
function halves(    j, c, k, h, languages, two, cell, ratio, line, said) {
    split("C C++", languages, " ")
    split("open sealed", two, " ")
    print "\nhalves: geometric means over the plain build, their quotient by fair clang, and programs dearer than with it"
    printf "%-30s", ""
    for (k = 1; k <= 2; k++)
        printf " %11s %11s %11s", "open " languages[k], "sealed " languages[k], "sealed/open"
    print ""
    for (j = 1; j <= columns; j++) {
        c = column[j]
        if (!(c in used) || c == "fair" || base(c) != "plain") continue
        said["programs"] = sprintf("%-30s", c ": programs")
        said["fair"] = sprintf("%-30s", "  fair clang")
        said["mean"] = sprintf("%-30s", "  " c)
        said["ratio"] = sprintf("%-30s", "  quotient")
        said["dearer"] = sprintf("%-30s", "  dearer by more than a point")
        said["more"] = sprintf("%-30s", "  with more increments")
        for (k = 1; k <= 2; k++) {
            for (h = 1; h <= 2; h++) {
                halves_mean("fair", two[h], languages[k])
                fair_mean = mean
                halves_mean(c, two[h], languages[k])
                ratio[h] = fair_mean ? mean / fair_mean : 0
                said["programs"] = said["programs"] sprintf(" %11d", many_in)
                said["fair"] = said["fair"] sprintf(" %10.2f%%", fair_mean)
                said["mean"] = said["mean"] sprintf(" %10.2f%%", mean)
                said["ratio"] = said["ratio"] sprintf(" %11.3f", ratio[h])
                said["dearer"] = said["dearer"] sprintf(" %11d", dearer)
                said["more"] = said["more"] sprintf(" %11d", more)
            }
            said["ratio"] = said["ratio"] sprintf(" %11s", ratio[1] > 0 &&
                ratio[2] > 0 ? sprintf("%.2f", ratio[2] / ratio[1]) : "-")
            for (line in said) if (line != "ratio") said[line] = said[line] sprintf(" %11s", "")
        }
        print said["programs"] "\n" said["fair"] "\n" said["mean"] "\n" said["ratio"] "\n" said["dearer"] "\n" said["more"]
    }
}

END {
    printf "%d programs\n", names
    table("instructions over the plain build (what clang and gcc spend on writing their files at exit taken out)", instructions)
    both = 0
    for (i = 1; i <= names; i++) {
        n = name[i]
        if (((n, "edges") in there) && ((n, "fair") in there) && ((n, "plain") in there)) {
            both++
            ours += log(instructions[n, "edges"] / instructions[n, "plain"])
            theirs += log(instructions[n, "fair"] / instructions[n, "plain"])
            whole += log((instructions[n, "fair"] + dump[n, "fair"]) / instructions[n, "plain"])
        }
    }
    printf "\nmillions of increments executed\n%-10s", ""
    for (j = 1; j <= columns; j++) if ((column[j] in used) && column[j] != "gcc") printf " %9s", column[j]
    print ""
    for (i = 1; i <= names; i++) {
        printf "%-10s", name[i]
        for (j = 1; j <= columns; j++) {
            c = column[j]
            if (!(c in used) || c == "gcc") continue
            if (((name[i], c) in there) && increments[name[i], c] != "-")
                printf " %9.1f", increments[name[i], c] / 1e6
            else printf " %9s", "-"
        }
        print ""
    }
    table("code and data in memory (size's total) over the plain build", code)
    table("stripped file over the plain build", file)
    table("largest resident set over the plain build", rss)
    table("instructions of the compiler on one unit of some programs over plain clang", compile)
    if ("fair" in used) halves()
    if (both) {
        ours = exp(ours / both) - 1
        theirs = exp(theirs / both) - 1
        whole = exp(whole / both) - 1
        printf "\ngeometric mean over %d programs: edges %.2f %%, fair clang %.2f %% (%.2f %% with its dump at exit)\n", both, ours * 100, theirs * 100, whole * 100
        printf "cotree edges / fair clang: %.3f\n", ours / theirs
    }
}
