# Puts the oracle's pieces together. Reads, in this order: the program's symbols (symbols_of), the
# lists of ir_blocks.awk of all units in link order, the .pcs file, and the counts (od -An -v -td8
# -w8). Prints a line a function: its name and the counts of its reachable blocks in order, ? for a
# block that has no guard; "NAME -" for a function without guards and "NAME !" for one that is not
# to be profiled.
FNR == 1 { part++ }
FILENAME ~ /\.nm$/ { if (NF == 3) names[$1] = names[$1] " " $3; next }
FILENAME ~ /\.blocks$/ {
    known[$1, ++definitions[$1]] = $3
    if ($2 ~ /^!/) unprofiled[$1] = "!"
    if ($2 ~ /^-/) unprofiled[$1] = "-"
    next
}
FILENAME ~ /\.pcs$/ { pc[FNR] = $1; guards = FNR; next }
{ count[FNR] = $1 + 0 == 0 ? "0" : $1 "" }
END {
    for (i = 1; i <= guards; ) {
        if (pc[i] ~ /^0+$/) { print "a guard before any function, at " i; exit 1 }
        n = split(names[pc[i]], candidate, " "); name = ""
        for (k = 1; k <= n && name == ""; k++) if (candidate[k] in definitions) name = candidate[k]
        if (name == "") { print "no function at " pc[i] names[pc[i]]; exit 1 }
        which = ++seen[name]
        letters = known[name, which]
        line = name
        for (b = 1; b <= length(letters); b++) {
            letter = substr(letters, b, 1)
            if (letter == "c") line = line " " count[i]
            if (letter == "u" && count[i] != "0") { print "an unreachable block of " name " ran"; exit 1 }
            if (letter == "s") line = line " ?"
            if (letter == "c" || letter == "u") {
                i++
                if (b > 1 && pc[i - 1] !~ /^0+$/) {
                    print "guards of " name " do not match its blocks"
                    exit 1
                }
            }
        }
        if (i <= guards && pc[i] ~ /^0+$/) { print "more guards than blocks in " name; exit 1 }
        if (!(name in unprofiled)) print line
    }
    for (name in unprofiled) print name, unprofiled[name]
}
