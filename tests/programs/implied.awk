# Do paths, those that ended and those that were cut short, imply the edge counts? Reads the words
# of paths.jq. Edges that lead from one block to the same other one are taken together, as paths are
# lists of blocks. Functions with frames that came to be without a call, with executions that cannot
# be told apart, or whose counts are declared not to be exact are left out. What is left in a block
# without a way out is counted by its virtual edge (cotree-json(5)). Prints what differs, and last a
# line "sum FUNCTIONS EDGES LEFT-OUT", of functions that ran.
function compare(    key, end) {
    if (name == "" || !entries) return
    if (!judged) { left_out++; return }
    functions++
    for (key in count) {
        edges++
        split(key, end, SUBSEP)
        if (count[key] != implied[key] + 0)
            print name ": edge " end[1] " to " end[2] ": " count[key] ", by paths " implied[key] + 0
    }
    for (key in implied) if (!(key in count)) {
        split(key, end, SUBSEP)
        print name ": no edge " end[1] " to " end[2]
    }
}
$1 == "function" {
    compare()
    name = $2
    judged = $3 == "true"
    entries = $4
    delete count
    delete implied
    delete goes_on
}
$1 == "edge" { count[$2, $3] += $4; if ($5 == "false") goes_on[$2] = 1 }
$1 == "path" {
    if ($4 == "true") implied["-", $6] += $3
    for (i = 7; i <= NF; i++) implied[$(i - 1), $i] += $3
    if ($2 == "true" || !($NF in goes_on)) implied[$NF, $5] += $3
}
END { compare(); print "sum " functions + 0 " " edges + 0 " " left_out + 0 }
