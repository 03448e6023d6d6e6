# Judges traces of one program that was stopped at many instructions, each time at another. Reads
# words, by step:
#   truth STEP LINE COUNT          how often the `T` of the line ran (tests/trace/programs/truth.h)
#   exact STEP BOOLEAN
#   line STEP LINE COUNT
#   error STEP LINE ERROR          by how much a function that has the line may be off; -: by whatever
# A line must be what is true. One that control has come to may be counted though its `T` has not
# run: of all lines, that of the next `T` that runs. What is declared not to be exact may be off by
# its error. Prints what is wrong, and a line that sums up.
$1 == "truth" { truth[$2, $3] = $4; lines[$3] = 1 }
$1 == "exact" { exact[$2] = $3; if ($2 > last) last = $2 }
$1 == "line" { count[$2, $3] = $4 }
$1 == "error" {
    if ($4 == "-" || error[$2, $3] == "-")
        error[$2, $3] = "-"
    else if ($4 > error[$2, $3]) error[$2, $3] = $4
}
function is_next(step, line,    s, l, moved) {
    for (s = step + 1; s <= last; s++) {
        if (!(s in exact)) continue
        moved = 0
        for (l in lines) if (truth[s, l] != truth[step, l]) moved = 1
        if (moved) return truth[s, line] != truth[step, line]
    }
    return 1
}
END {
    for (s = 0; s <= last; s++) {
        if (!(s in exact)) continue
        steps++
        if (exact[s] == "true") right++; else declared++
        for (l in lines) {
            c = count[s, l] + 0; t = truth[s, l] + 0; e = exact[s] == "true" ? 0 : error[s, l]
            if (e == "-" || (c <= t + e && c >= t - e)) continue
            if (c == t + e + 1 && is_next(s, l)) continue
            wrong++
            if (wrong < 6)
                printf "%s: step %d: line %d ran %d times, but was counted %d times (exact: %s)\n", name, s,
                    l, t, c, exact[s]
        }
    }
    printf "%s: %d steps, exact %d, declared %d, wrong %d\n", name, steps, right, declared, wrong
    exit wrong || !steps || right < steps * least
}
