# judge.awk -v over=N SOURCE TRUTH WORDS: what is wrong with a profile, a line each, and last
# `exact` or `declared REASON`.
#
# SOURCE is the program, TRUTH the numbers it left (program.h), one a line, WORDS what judge.jq
# makes of the report. A line with S has the count that the program counted itself; a function was
# entered as often as its first line began. A number that is called exact is right; others are off
# by no more than the functions of the line say. `tails`: a call that is the last thing a function
# does may have become a jump; nobody sees then whether it came back, and a return behind it counts
# as run (docs/limits.md). `children`: so many children of fork a C++ program had. What a call
# returns is used behind it, in a block of its own where an exception may land: a child that returns
# from the call runs that block of the line, which it did not begin (README: the largest count of
# the blocks that hold an instruction of it). It does so in each activation of a recursion, of which
# there are no more than main's `d` says. `over`: so many frames were stopped anywhere; each may just
# have begun a line, or a function, that it had not yet counted itself.
FILENAME != file { file = FILENAME; number++ }
number == 1 {
    if (/^    int d = [0-9]+;/) deep = 1 + substr($4, 1, length($4) - 1)
    if (/S\(/) stands[FNR] = 1
    if (/S\(return/ && tails) behind_tail[FNR] = 1
    if (children && /S\(.*([a-z]+[0-9]+|some<[0-9]+>|does|table\[.*\])\(/) calls[FNR] = 1
    if (/\/\/ function/) begins[FNR] = FNR + 1
    next
}
number == 2 { if (FNR <= 4096) truth[FNR - 1] = $1; else before[FNR - 4097] = $1; next }
$1 == "profile" { exact = $2; $1 = $2 = ""; reason = substr($0, 3); next }
$1 == "function" {
    entries[$3] = $4 == "-" || entries[$3] == "-" ? "-" : entries[$3] + $4
    add($3, $5, $6, entry_bound)
    bound[$2] = $5 == "true" ? 0 : $6
    if ($5 == "true" && $6 != 0) say("function " $2 " is exact, and may be off by " $6)
    next
}
$1 == "within" { add($2, bound[$3] == 0 ? "true" : "false", bound[$3], line_bound); next }
$1 == "line" { count[$2] = $3; is_exact[$2] = $4; least[$2] = $5; next }
function add(line, exactly, most, bounds) {
    bounds[line] = exactly == "true" ? bounds[line] + 0 : most == "-" ||
        bounds[line] == "-" ? "-" : bounds[line] + most
}
function say(text) { print text; wrong++ }
# Is `got` right? spare: how often it may be larger than what the program counted.
function check(what, got, wanted, exactly, most, spare, free,    off) {
    if (got == "-") {
        if (exactly == "true") say(what ": not known, and called exact")
        return
    }
    off = got - wanted
    if (off == 0) return
    if (off > 0 && off <= spare) return
    if (off > spare && off <= spare + free[0]) { free[0] -= off - spare; return }
    if (exactly == "true" || most != "-" && (off > 0 ? off - spare : -off) > most)
        say(what ": " got ", " (exactly == "true" ? "exact" : "off by " most " at most") ", but " wanted " times" (spare ? ", or up to " spare " more" : ""))
}
END {
    free_lines[0] = free_entries[0] = over
    for (l in stands) {
        if (!(l in count)) {
            if (truth[l] > 0) say("line " l ": not there, but " truth[l] " times")
            continue
        }
        lines++
        if (is_exact[l] == "true" && line_bound[l] != 0 && line_bound[l] != "") unsure = 1
        if (least[l] > truth[l] + before[l] + over)
            say("line " l ": at least " least[l] ", but " truth[l] " times")
        check("line " l, count[l], truth[l] + 0, is_exact[l], is_exact[l] == "true" ? 0 : line_bound[l],
            l in behind_tail ? 1e15 : before[l] + (l in calls ? children * deep : 0), free_lines)
    }
    for (l in begins) {
        if (!(l in entries)) {
            if (truth[begins[l]] > 0) say("function of line " l ": not there, but " truth[begins[l]] " times")
            continue
        }
        check("entries of line " l, entries[l], truth[begins[l]] + 0, entry_bound[l] == 0 ? "true" : "false",
            entry_bound[l], before[begins[l]] + 0, free_entries)
    }
    if (exact == "true" && reason != "") say("exact, and yet: " reason)
    if (lines < 10) say("only " lines + 0 " lines")
    print exact == "true" ? "exact" : "declared " reason
    exit wrong > 0
}
