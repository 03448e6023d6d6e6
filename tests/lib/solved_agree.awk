# Judges solved edge counts of programs that drop activations, where most counts are not those of
# the oracle. Reads, in this order:
#   *.limits   "NAME LIMIT": how far counters of that function may be off
#   *.loose    a name a line: functions whose blocks are not the oracle's; their counters are not compared
#   *.oracle   see sancov_counts.awk
#   *.graph    `cotree graph --no-demangle --function='*'`: which edges carry a counter
#   *.solved   "block NAME ID COUNT" and "edge NAME FROM TO COUNT" in order of edge ids; FROM and TO
#              are - outside the function
# What is counted is right whatever was dropped, and what is solved follows from it: (1) an edge
# with a counter has the oracle's count of the block where the counter stands, which is its source
# if that has one successor, and otherwise its target if that has one predecessor; elsewhere its
# count is no larger than that of either; (2) what enters a block, the block itself, and what leaves
# it are the same. A spanning tree leaves just one solution to both. Prints what is not so, and in
# the last line how much was compared; exit status 1 if anything is not so, or nothing was compared.
function wrong(text) { print text; bad = 1 }
function place(function_name, vertex) { return function_name " block " vertex }
FILENAME ~ /\.limits$/ { limit[$1] = $2; next }
FILENAME ~ /\.loose$/ { loose[$1] = 1; next }
FILENAME ~ /\.oracle$/ {
    if ($2 == "-" || $2 == "!") next
    if ($1 in blocks) wrong($1 " is twice in the oracle")
    blocks[$1] = NF - 1
    for (i = 2; i <= NF; i++) truth[$1, i - 2] = $i
    next
}
FILENAME ~ /\.graph$/ {
    if (/^[0-9]+ blocks?, [0-9]+ edges?/) name = first_word
    first_word = $1
    if ($1 == "entry") from = "-"
    if ($2 == "block") from = $3
    if ($2 == "->") has_counter[name, from, ++drawn[name, from]] = $NF ~ /^\[[0-9]+\]$/
    next
}
$1 == "block" { count[$2, $3] = $4; count_of[$2] = $3 + 1; next }
{
    names[++edges] = $2; source[edges] = $3; target[edges] = $4; counted[edges] = $5
    rank[edges] = ++out_degree[$2, $3]; in_degree[$2, $4]++
    out_flow[$2, $3] += $5; in_flow[$2, $4] += $5
}
END {
    for (f in count_of) {
        if (in_flow[f, "-"] != out_flow[f, "-"])
            wrong(f ": entered " out_flow[f, "-"] " times, left " in_flow[f, "-"] " times")
        for (v = 0; v < count_of[f]; v++) {
            if (in_flow[f, v] != count[f, v] || out_flow[f, v] != count[f, v])
                wrong(place(f, v) ": " count[f, v] ", entered " in_flow[f, v] " times, left " out_flow[f,
                    v] " times")
            conserved++
        }
    }
    for (e = 1; e <= edges; e++) {
        f = names[e]; u = source[e]; v = target[e]; shown = f " edge " u " -> " v ": " counted[e]
        if (out_degree[f, u] != drawn[f, u]) {
            wrong(place(f, u) ": " drawn[f, u] " edges are drawn, " out_degree[f, u] " are reported")
            continue
        }
        if (!has_counter[f, u, rank[e]] || !(f in blocks) || f in loose) continue
        if (blocks[f] != count_of[f]) {
            wrong(f ": " count_of[f] " blocks, the oracle has " blocks[f])
            continue
        }
        from = u == "-" ? "?" : truth[f, u]; to = v == "-" ? "?" : truth[f, v]
        expected = u != "-" && out_degree[f, u] == 1 ? from : v != "-" && in_degree[f, v] == 1 ? to : "?"
        if (expected != "?") {
            compared++
            d = counted[e] - expected
            if (d > limit[f] + 0 || -d > limit[f] + 0) wrong(shown ", its counter should have " expected)
            continue
        }
        bounded++
        if ((from != "?" && counted[e] + 0 > from + 0) || (to != "?" && counted[e] + 0 > to + 0))
            wrong(shown ", its blocks ran " from " and " to " times")
    }
    print conserved + 0 " blocks, " compared + 0 " counters, " bounded + 0 " bounded"
    exit bad || !conserved || !(compared + bounded)
}
