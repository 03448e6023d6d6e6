# Judges lines by trace. Reads, in this order:
#   claims       "FILE:LINE COUNT": what the comments of the sources say
#   edges.words  the words (tests/frames/judge.jq) of the program with counters on edges
#   trace.words  of the program that records its trace, which is judged
# inexact: 1 if the profile may say that it is not exact; declared: `always` if it must, `sometimes`
# if it may. Functions whose names begin with any_ are interrupted anywhere, and may be declared in
# all programs; everything else is exact then. Prints what is wrong, a line each. Functions named
# any_ run as often as time allows: nothing is compared there.
function wrong(text) { print text }
function any(name) { return name ~ /^(_ZL?[0-9]+)?any_/ }
FILENAME ~ /claims$/ { claims[$1] = $2; next }
{ part = FILENAME ~ /edges\.words$/ ? "edges" : "trace" }
$1 == "exact" {
    exact[part] = $2
    why[part] = substr($0, index($0, $4))
    if (part == "trace" && $3 != "trace") wrong("counted by " $3)
}
$1 == "function" && part == "trace" && $3 != "true" && any($2) { somewhere = 1 }
$1 == "function" {
    error[part, $2] = $4
    sure[part, $2] = $3 == "true"
    if (part == "trace" && !inexact && !declared && !any($2) && ($3 != "true" || $4 != "0"))
        wrong($2 " is not exact")
}
$1 == "within" { owner[$2] = $3; if (any($3)) free[$2] = 1 }
$1 == "line" { line[part, $2] = $3; lines[$2] = 1 }
END {
    if (!("trace" in exact) || !("edges" in exact)) wrong("no profile")
    if (declared == "always" && exact["trace"] == "true")
        wrong("is exact now: take it from lines-not-yet.txt")
    if (!inexact && !somewhere && !declared && exact["trace"] != "true") wrong("not exact: " why["trace"])
    for (l in claims) {
        checked++
        limit = exact["trace"] == "true" ? 0 : error["trace", owner[l]]
        if (!(("trace", l) in line)) {
            wrong(l " has no count, should have " claims[l])
            continue
        }
        count = line["trace", l]
        # No count is shown where nothing was counted that may have run.
        if (count == "null" && !sure["trace", owner[l]]) count = 0
        if (limit != "-" && (count == "null" || count > claims[l] + limit ||
            count < claims[l] - limit)) wrong(l " ran " claims[l] " times, by its trace: " line["trace", l])
    }
    if (!checked) wrong("no claims")
    if (inexact || exact["trace"] != "true" || exact["edges"] != "true") exit
    for (l in lines)
        if (!(l in free) && line["trace", l] != line["edges", l])
            wrong(l " ran " line["trace", l] " times by its trace, " line["edges", l] " by edges")
}
