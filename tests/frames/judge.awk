# Judges one profile. Reads some of these, the last one last:
#   *.claims     "FILE:LINE COUNT": what the comments of the sources say
#   *.oracle     blocks counted by SanitizerCoverage (tests/lib/sancov_counts.awk)
#   *.reference  the words (judge.jq) of the program at -O0, to compare with
#   *.words      the words of the profile that is judged
# inexact: 1 if the profile must say that it is not exact; bound: then no function of the program
# may be off by more, if it is given.
# sometimes: 1 if functions whose names begin with any_ may be declared not to be exact.
# absent: 1 if lines may be missing that -O0 has: clang emits no code for the only `return` of a C++
# function that is not main. mode: the counter sets. Prints what is wrong, a line each; nothing if
# all is well. What is not there is wrong, too.
function wrong(text) { print text }
function any(name) { return name ~ /^(_ZL?[0-9]+)?any_/ }
FILENAME ~ /\.claims$/ { claims[$1] = $2; next }
FILENAME ~ /\.oracle$/ {
    if ($2 == "-") unguarded[$1] = 1; else if ($2 != "!") { truths[$1]++; truth[$1] = $0 }
    next
}
FILENAME ~ /\.reference$/ { part = "reference" }
FILENAME ~ /\.words$/ { part = "words" }
$1 == "exact" && part == "words" {
    seen = 1
    if ($3 != mode) wrong("counter sets " $3 " instead of " mode)
    if (!inexact && !sometimes && $2 != "true") wrong("not exact: " substr($0, index($0, $4)))
    if (inexact && ($2 != "false" || $4 == "[]")) wrong("called exact")
}
$1 == "function" && part == "words" {
    error[$2] = $4
    if (!inexact && !(sometimes && any($2)) && ($3 != "true" || $4 != "0")) wrong($2 " is not exact")
    if (bound != "" && $2 !~ /^helper_/ && ($4 == "-" || $4 > bound + 0))
        wrong($2 " may be off by " $4 ", more than " bound)
}
$1 == "entries" {
    entries[part, $2] = $3
    if (part == "words") names[$2] = 1; else { reference_names[$2] = 1; compared++ }
}
$1 == "block" {
    blocks[part, $2] = blocks[part, $2] " " $4
    count_of[part, $2]++
    if (part == "words") { block[$2, $3] = $4; largest[$2] = $3 }
}
$1 == "within" { owner[$2] = $3; if (any($3)) free[$2] = 1 }
$1 == "line" { line[part, $2] = $3; if (part == "words") lines[$2] = 1; else reference_lines[$2] = 1 }
END {
    if (!seen) wrong("no profile")
    for (l in claims) {
        checked++
        limit = inexact ? error[owner[l]] : 0
        if (!(("words", l) in line)) wrong(l " has no count, should have " claims[l])
        else if (inexact && line["words", l] == "null") continue # it may have run unseen
        else if (limit != "-" && (line["words", l] > claims[l] + limit ||
            line["words", l] < claims[l] - limit)) wrong(l " ran " claims[l] " times, reported: " line["words", l])
    }
    if (!checked) wrong("no claims")
    if (inexact) exit
    for (f in names) if (f in truths && !any(f)) {
        if (truths[f] > 1) { wrong(f " is twice in the oracle"); continue }
        n = split(truth[f], expected, " ")
        if (n - 1 != largest[f] + 1) {
            wrong(f " has " largest[f] + 1 " blocks, the oracle's " n - 1)
            continue
        }
        for (i = 2; i <= n; i++)
            if (expected[i] != "?" && expected[i] != block[f, i - 2])
                wrong(f " block " i - 2 " ran " expected[i] " times, reported: " block[f, i - 2])
    }
    # Functions of the library's headers are in the oracle, and not in the words.
    for (f in truths)
        if (!(f in names) && f !~ /^(_ZZ?N?K?S|_ZN?K?[0-9]+__gnu_cxx|__clang|_ZS)/)
            wrong(f " is not in the profile")
    if (ARGV[ARGC - 2] ~ /oracle$/)
        for (f in names) if (!(f in truths) && !(f in unguarded)) wrong(f " is not in the oracle")
    if (ARGV[ARGC - 2] !~ /reference$/) exit
    if (!compared) { wrong("nothing is known of -O0"); exit }
    for (f in reference_names) if (!(f in names)) {
        if (f !~ /^helper_/) wrong(f " is not in the profile, which it is at -O0")
    }
    for (f in names) {
        if (!(f in reference_names) || any(f)) continue
        if (entries["words", f] != entries["reference", f])
            wrong(f " was entered " entries["words", f] " times, at -O0 " entries["reference", f])
        if (f ~ /^tail_/) continue
        if (count_of["words", f] != count_of["reference", f]) {
            if (!(cxx)) wrong(f " has other blocks than at -O0")
            continue
        }
        if (blocks["words", f] != blocks["reference", f])
            wrong(f " has block counts" blocks["words", f] ", at -O0" blocks["reference", f])
    }
    for (l in reference_lines)
        if (!(l in free) && owner[l] !~ /^tail_/ && line["words", l] != line["reference", l] &&
            !(absent && !(l in lines)))
        wrong(l " ran " line["words", l] " times, at -O0 " line["reference", l])
}
