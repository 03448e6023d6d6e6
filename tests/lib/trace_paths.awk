# Paths from a trace of blocks, and what a profile says of them. Reads, in this order: the symbols
# of the traced program (symbols_of), the lists of ir_blocks.awk of its units in link order, the
# .pcs file, the trace's events (od -An -v -td8 -w32, without the first word), and the words of
# trace_paths.jq. -v skip=REGEX: functions that are not judged. -v some=1: only some paths are
# watched, so of those that ended less is listed.
#
# The trace alone says which executions of a path ended and which were cut short, and how each went:
# an activation is known by its frame, and is cut short when one below it goes on, its setjmp
# returns again, the process is executed anew, or the trace ends. Where paths end is taken from the
# profile (edges that are cut), nothing else.
#
# A path ends with a last call that the compiler made a jump, and with one that never returns: one
# that was cut short in its last block, or before a block that only returns, may stand among those
# that ended.
# Prints what is wrong, and last a line "sum FUNCTIONS LISTED UNKNOWN EARLY": executions cut short.
function cut_short(a) { if (over[a]) return; cuts[name_of[a], path[a]]++; cut_functions[name_of[a]] = 1 }
function pop_above(t, to) { while (depth[t] > to) cut_short(stack[t, depth[t]--]) }
function find(t, frame, name,    d) {
    for (d = depth[t]; d > 0; d--)
        if (frame_of[stack[t, d]] == frame && (name == "" || name_of[stack[t, d]] == name)) return d
    return 0
}
function finish(a) { ends[name_of[a], path[a]]++ }
function arrive(t, what, frame,    name, b, d, a) {
    name = guard_name[what]; b = guard_block[what]
    if (guard_first[what]) {
        a = ++activations
        name_of[a] = name
        frame_of[a] = frame
        path[a] = last[a] = b
        stack[t, ++depth[t]] = a
        return
    }
    if (!(d = find(t, frame, name))) { wrong[name] = "block " b " of no activation"; return }
    pop_above(t, d); a = stack[t, d]
    if (name in known) {
        if (!((name, last[a], b) in edge)) wrong[name] = "no edge " last[a] " to " b
        else if (edge[name, last[a], b]) { finish(a); path[a] = b; last[a] = b; return }
    }
    path[a] = path[a] "," b; last[a] = b
}
function copy(t, from, number,    i, a, b) {
    depth[t] = 0
    for (i = 1; i <= saved[from, number]; i++) {
        a = ++activations
        split(saved[from, number, i], b, " ")
        name_of[a] = b[1]; frame_of[a] = b[2]; path[a] = b[3]; last[a] = b[4]; stack[t, ++depth[t]] = a
    }
}
FILENAME ~ /\.nm$/ { if (NF == 3) names[$1] = names[$1] " " $3; next }
FILENAME ~ /\.blocks$/ { letters[$1] = $3; mergeable[$1] = $2 ~ /w/; next }
FILENAME ~ /\.pcs$/ { pc[FNR - 1] = $1; guards = FNR; next }
FILENAME ~ /\.events$/ { if ($1 == 0) next; # begun, and not written: its thread was stopped
    thread[++events] = $1; happened[events] = $2; frames[events] = $3; more[events] = $4; next }
$1 == "function" { known[$2] = 1; exact[$2] = $3 == "true"; blocks_of[$2] = $4; next }
$1 == "edge" { edge[$2, $3, $4] = $5 == "true"; next }
$1 == "path" {
    if ($3 == "true") {
        if (!(($2, $5) in finished)) list[$2] = list[$2] " " $5
        finished[$2, $5] += $4
    } else { if (!(($2, $5) in unfinished)) cut_list[$2] = cut_list[$2] " " $5; unfinished[$2, $5] += $4 }
    next
}
$1 == "unknown" { unknown[$2, $3] = $4; unknown_all[$2] += $4; next }
END {
    # Of a function that several units may define the profile may have another one's body.
    for (name in known) if (name in letters) {
        reachable = letters[name]
        gsub(/[^cs]/, "", reachable)
        if (mergeable[name] && length(reachable) != blocks_of[name]) skipped[name] = 1
    }
    for (i = 0; i < guards; i++) {
        if (pc[i] !~ /^0+$/) {
            n = split(names[pc[i]], candidate, " "); name = ""
            for (k = 1; k <= n && name == ""; k++) if (candidate[k] in letters) name = candidate[k]
            at = 0; b = -1; guard_first[i] = 1
        }
        while (substr(letters[name], ++at, 1) ~ /[sx]/) if (substr(letters[name], at, 1) == "s") b++
        if (substr(letters[name], at, 1) == "c") b++
        traced[name] = 1; guard_name[i] = name; guard_block[i] = b
    }
    for (e = 1; e <= events; e++) {
        t = thread[e]; what = happened[e]
        if (what >= 0) arrive(t, what, frames[e])
        else if (what == -1) {
            if (d = find(t, frames[e], "")) { pop_above(t, d); finish(stack[t, depth[t]--]) }
        }
        else if (what == -2) {
            again = more[e] % 2; place = (more[e] - again) / 2
            if (!(d = find(t, frames[e], ""))) continue
            pop_above(t, d); a = stack[t, d]
            if (!again) jump[place] = last[a]
            else { cut_short(a); over[a] = 0; path[a] = last[a] = jump[place] }
        }
        else if (what == -3) {
            saved[t, more[e]] = depth[t]
            for (i = 1; i <= depth[t]; i++) {
                a = stack[t, i]
                saved[t, more[e], i] = name_of[a] " " frame_of[a] " " path[a] " " last[a]
            }
        }
        else if (what == -4) {
            if (!(t in copied)) copy(t, frames[e], more[e])
            copied[t] = 1
        }
        # twice, if it was copied in the middle of an event
        else if (what == -5) pop_above(t, 0)
        else if (what == -6) {
            if (d = find(t, frames[e], "")) { pop_above(t, d); finish(stack[t, d]); over[stack[t, d]] = 1 }
        }
    }
    for (t in depth) pop_above(t, 0)

    for (key in cuts) {
        split(key, p, SUBSEP)
        n = split(p[2], blocks, ",")
        all[p[1]] += cuts[key]
        at_block[p[1], blocks[n]] += cuts[key]
    }
    for (key in ends) {
        split(key, p, SUBSEP)
        if (p[1] in known && !(p[1] in skipped)) if (!(key in finished) && exact[p[1]] && p[1] !~ skip) {
            if (!some) print p[1] ": path " p[2] " ended " ends[key] " times, and is not listed"
        }
    }
    for (name in known) {
        if (name ~ skip || name in skipped || !(name in traced)) continue
        if (name in wrong) { print name ": " wrong[name]; continue }
        early = listed = 0; split("", here)
        n = split(cut_list[name], one, " ")
        for (i = 1; i <= n; i++) {
            count = unfinished[name, one[i]]; listed += count
            if (count > cuts[name, one[i]] + 0)
                print name ": path " one[i] " is listed as cut short " count " times, and was " cuts[name,
                    one[i]] + 0
            k = split(one[i], blocks, ","); here[blocks[k]] += count
        }
        for (b in here)
            if (here[b] + unknown[name, b] > at_block[name, b] + 0)
                print name ": " here[b] + unknown[name,
                    b] " were left in block " b ", says the profile; " at_block[name,
                    b] + 0 ", says the trace"
        if (!exact[name]) continue
        n = split(list[name], one, " ")
        for (i = 1; i <= n; i++) {
            shorter = one[i]; sub(/,[0-9]+$/, "", shorter)
            excess = finished[name, one[i]] - ends[name, one[i]]; early += excess
            if (excess < 0 || excess > cuts[name, one[i]] + (shorter == one[i] ? 0 : cuts[name, shorter]))
                print name ": path " one[i] " ended " finished[name,
                    one[i]] " times, says the profile; " ends[name,
                    one[i]] + 0 " times, and was cut short " cuts[name, one[i]] + 0 ", says the trace"
        }
        if (some ? listed + unknown_all[name] > all[name] + 0 : listed + unknown_all[name] + early != all[name] + 0)
            print name ": " listed " unfinished, " unknown_all[name] + 0 " unknown, " early " counted early, but " all[name] + 0 " were cut short"
        functions += all[name] > 0; sum_listed += listed; sum_unknown += unknown_all[name]; sum_early += early
    }
    print "sum", functions + 0, sum_listed + 0, sum_unknown + 0, sum_early + 0
}
