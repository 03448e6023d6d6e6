# What entered functions t_NAME of a program and did not return was recorded: reads `nm` of it,
# lines with "symbol " before them, and the dump of its data files. Each counts at the label
# entered_t_NAME and at left_t_NAME, in counters 2i and 2i + 1 of the array with key 5001. Prints
# what is wrong.
function number(hex, i, n) {
    n = 0
    for (i = 1; i <= length(hex); i++) n = 16 * n + index("0123456789abcdef", substr(hex, i, 1)) - 1
    return n
}
$1 == "symbol" && $4 ~ /^(entered|left)_t_/ { at[$4] = number($2); next }
$1 == "symbol" && $3 ~ /^[tT]$/ { begin[$4] = number($2) }
$1 == "event" {
    place = number($5)
    for (f in wanted) {
        if (place <= begin[f] || place > at["left_" f] + 32) continue
        counted = place > at["entered_" f] && place <= at["left_" f]
        if ($3 == "CUT") { net[f] += $6; if (!counted) print "a call before or behind the body of " f }
        if ($3 == "RESUME") net[f] -= $6
        if ($3 == "CUT_AT") { net[f] += counted * $6; interrupted += $6 }
        if ($3 == "RESUME_AT") net[f] -= counted * $6
    }
}
$1 == "sum" && $2 == "5001" {
    for (f in wanted) balance[f] += $(2 * wanted[f] + 3) - $(2 * wanted[f] + 4)
    entered += $3
}
BEGIN { wanted["t_deep"] = 0; wanted["t_inner"] = 1; wanted["t_outer"] = 2; wanted["t_handler"] = 3 }
END {
    for (f in wanted)
        if (balance[f] != net[f] + 0) print f ": " balance[f] " did not return, " net[f] + 0 " were recorded"
    if (interrupted < least_interrupted || entered < least_entered)
        print "no storm: " interrupted " interrupted, " entered " entered"
}
