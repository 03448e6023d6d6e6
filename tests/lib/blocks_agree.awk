# Compares cotree's block counts with the oracle's. Reads, in this order:
#   *.limits   "NAME LIMIT": how far counts of that function may be off; LIMIT may be `any`
#   *.loose    a name a line: functions whose blocks are fewer than clang's (graph-differences.txt):
#              cotree's counts must be the oracle's with some of them left out, in order
#   *.oracle   see sancov_counts.awk
#   cotree's counts in the same form: a function's linkage name, then the counts of its blocks.
# A name may stand on several lines (static functions of one name, weak definitions): lines are
# matched in any order, and one line of cotree may be the sum of several of the oracle, since copies
# of a header's static function are one function of the source. Prints what differs; exit status 1
# if anything does.
function all_zero(    i) { for (i = 2; i <= NF; i++) if ($i != "0" && $i != "?") return 0; return 1 }
function near(a, b, limit,    d) {
    if (a == b || a == "?") return 1
    if (limit == "") return 0
    d = a - b
    return limit == "any" || (d <= limit && -d <= limit)
}
function agree(a, b, limit, loose,    n, m, x, y, i, j) {
    n = split(a, x, " "); m = split(b, y, " ")
    if (!loose) {
        if (n != m) return 0
        for (i = 1; i <= n; i++) if (!near(x[i], y[i], limit)) return 0
        return 1
    }
    j = 1
    for (i = 1; i <= n && j <= m; i++) if (near(x[i], y[j], limit)) j++
    return j > m
}
function sum_of(name,    i, k, n, x, s) {
    for (i = 1; i <= expectations[name]; i++) {
        n = split(expected[name, i], x, " ")
        for (k = 1; k <= n; k++) s[k] = x[k] == "?" ? "?" : s[k] + x[k]
    }
    for (k = 1; k <= n; k++) i = k == 1 ? s[k] "" : i " " s[k]
    return i
}
function show(s) { return length(s) > 400 ? substr(s, 1, 400) "..." : s }
FILENAME ~ /\.limits$/ { limit[$1] = $2; next }
FILENAME ~ /\.loose$/ { loose[$1] = 1; next }
{ name = $1; counts = $0; sub(/^[^ ]+ ?/, "", counts) }
FILENAME ~ /\.oracle$/ {
    if ($2 == "-" || $2 == "!") { mark[name] = $2; next }
    wanted[name] = 1
    if (!all_zero()) expected[name, ++expectations[name]] = counts
    else zero[name, ++zeros[name]] = counts
    next
}
{
    got[name] = 1
    if (mark[name] == "-") next
    if (NF == 1) {
        for (i = 1; i <= expectations[name]; i++) used[name, i] = 1
        next
    }
    # not counted, and said so
    if (mark[name] == "!") { print name " is counted, though the source says it is not to be"; bad = 1; next }
    if (!(name in wanted)) { print name " is not a function of the oracle"; bad = 1; next }
    if (all_zero()) {
        found = 0
        for (i = 1; i <= zeros[name]; i++) if (agree(zero[name, i], counts, "", name in loose)) found = 1
        if (!found && zeros[name] && expectations[name] == 0) {
            print name ": cotree's blocks are not the oracle's:\n  oracle " show(zero[name,
                1]) "\n  cotree " show(counts)
            bad = 1
        }
        next
    }
    for (i = 1; i <= expectations[name]; i++)
        if (!((name, i) in used) &&
            agree(expected[name, i], counts, name in limit ? limit[name] : "", name in loose)) {
            used[name, i] = 1
            next
        }
    if (expectations[name] > 1 &&
        agree(sum_of(name), counts, name in limit ? limit[name] : "", name in loose)) {
        for (i = 1; i <= expectations[name]; i++) used[name, i] = 1
        next
    }
    print name ":\n  cotree " show(counts)
    for (i = 1; i <= expectations[name]; i++) if (!((name, i) in used)) {
        print "  oracle " show(expected[name, i])
        used[name, i] = 1
    }
    bad = 1
}
END {
    for (name in wanted) {
        if (!(name in got)) { print name " is missing from cotree's report"; bad = 1; continue }
        for (i = 1; i <= expectations[name]; i++)
            if (!((name, i) in used)) {
                print name ": nothing in cotree's report has the oracle's counts " show(expected[name, i])
                bad = 1
            }
    }
    exit bad
}
