# Compares the counts of two builds of a program (json_counts in judge.sh): *.loose, then the counts
# of one, then of the other. Entries and lines must be the same; blocks and edges too, but for
# functions whose graphs are another and which *.loose lists. Appends to the file `different` what
# of that list was needed.
function note(what) { print what >>different }
# A destructor that clang makes an alias of that of its base at -O1 and above is not there; it must be listed.
function may_miss(f,    part) {
    split(f, part, " ")
    if (!(part[1] in loose)) return 0
    note(part[1])
    return 1
}
function may_differ(line) { if (!(line in loose)) return 0; note(line); return 1 }
FILENAME ~ /\.loose$/ { loose[$1] = 1; next }
FNR == 1 { part++ }
{ f = $2 " " $3 }
$1 == "entries" { if (part == 1) entries[f] = $4; else other_entries[f] = $4; next }
$1 == "line" { if (part == 1) lines[$2] = $3; else other_lines[$2] = $3; next }
{
    shape = $1 == "edge" ? "edge " $4 " " $5 " " $6 " " $7 : "block " $4
    count = $1 == "edge" ? $8 : $5
    if (part == 1) { shapes[f] = shapes[f] shape ";"; counts[f, shape] = count; functions[f] = $2 }
    else {
        other_shapes[f] = other_shapes[f] shape ";"
        other_counts[f, shape] = count
        keys[++n] = f SUBSEP shape
        owner[n] = f
    }
}
END {
    for (f in entries)
        if (!(f in other_entries)) { if (!may_miss(f)) print "entries of " f ": " entries[f] " and none" }
        else if (entries[f] "" != other_entries[f] "")
            print "entries of " f ": " entries[f] " and " other_entries[f]
    for (f in other_entries) if (!(f in entries)) print "entries of " f ": none and " other_entries[f]
    for (l in lines)
        if (lines[l] "" != other_lines[l] "" && !may_differ(l))
            print "line " l ": " lines[l] " and " other_lines[l]
    for (l in other_lines) if (!(l in lines) && !may_differ(l)) print "line " l ": none and " other_lines[l]
    for (f in functions) if (f in other_shapes && shapes[f] != other_shapes[f]) {
        note(functions[f])
        unlike[f] = 1
        if (!(functions[f] in loose)) print "the graph of " f " is another"
    }
    for (i = 1; i <= n; i++) if (!(owner[i] in unlike) && counts[keys[i]] != other_counts[keys[i]]) {
        split(keys[i], k, SUBSEP)
        print k[1] ", " k[2] ": " counts[keys[i]] " and " other_counts[keys[i]]
    }
}
