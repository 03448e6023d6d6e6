# Reads textual IR as clang emits it, before any pass, and prints a line a function: its name, then
# a letter a block, in order:
#   c  reachable, counted by SanitizerCoverage        u  no path from the entry reaches it, yet it has a guard
#   s  reachable, but without a guard: it holds nothing but `unreachable`          x  neither
# Before the letters stands - where SanitizerCoverage leaves the function out (its first block ends
# in `unreachable`), ! where the source says it is not to be profiled, and + otherwise; and w for a
# definition that the linker may drop, or d. Part of the oracle: how cotree finds blocks and what it
# leaves out is not known here.

function unquote(s) { gsub(/"/, "", s); return s }

# Successors of a terminator: all its "label %x". A terminator may take several lines: switch and
# indirectbr up to ], invoke and callbr to the line with the labels.
function add_labels(s,    label) {
    while (match(s, /label %("[^"]*"|[-A-Za-z0-9$._]+)/)) {
        label = unquote(substr(s, RSTART + 7, RLENGTH - 7))
        successors[block, ++successor_count[block]] = label
        s = substr(s, RSTART + RLENGTH)
    }
}

/^define / {
    match($0, /@("[^"]*"|[-A-Za-z0-9$._]+)/)
    name = unquote(substr($0, RSTART + 1, RLENGTH - 1))
    split("", successors)
    split("", successor_count)
    split("", number)
    split("", first)
    split("", label_of)
    block = -1; inside = 1; terminator = 0
    available = / available_externally /
    mergeable = /^define [^@]*(linkonce|weak)/
    group = ""
    if (match($0, /\) [^()]*#[0-9]+/)) { group = substr($0, RSTART, RLENGTH); sub(/.*#/, "#", group) }
    next
}
inside && /^}/ {
    # what the first block reaches
    split("", reached); split("", stack)
    depth = 1; stack[1] = 0; reached[0] = 1
    while (depth > 0) {
        b = stack[depth--]
        for (i = 1; i <= successor_count[b]; i++) {
            if (!((b, i) in successors) || !(successors[b, i] in number)) {
                print "ir_blocks.awk: no block " successors[b, i] " in " name
                exit 1
            }
            t = number[successors[b, i]]
            if (!(t in reached)) { reached[t] = 1; stack[++depth] = t }
        }
    }
    letters = ""
    for (b = 0; b <= block; b++)
        letters = letters (first[b] == "unreachable" &&
            b > 0 ? (b in reached ? "s" : "x") : (b in reached ? "c" : "u"))
    if (!available) {
        order[++functions] = name
        pattern[functions] = letters
        merge[functions] = mergeable
        attributes[functions] = group
        skipped[functions] = entry_terminator == "unreachable"
    }
    inside = 0
    next
}
/^attributes #[0-9]+ = / { if (/ noprofile[ }]/) noprofile[$2] = 1; next }
!inside { next }
/^$/ || /^ *;/ { next }
/^("[^"]*"|[-A-Za-z0-9$._]+):/ {
    match($0, /^("[^"]*"|[-A-Za-z0-9$._]+):/)
    number[unquote(substr($0, 1, RLENGTH - 1))] = ++block
    terminator = 0
    next
}
{
    if (block < 0) { block = 0 } # an unnamed first block
    word = $1
    if (word ~ /^%/ && $2 == "=") word = $3
    if (word ~ /^#dbg/) next
    if (!(block in first) && !/@llvm\.lifetime\./) first[block] = word
    if (terminator) { add_labels($0); if (terminator == "list" && /\]/) terminator = 0; next }
    if (word == "switch" || word == "indirectbr") { add_labels($0); if (!/\][^\[]*$/) terminator = "list" }
    else if (word == "invoke" || word == "callbr" || word == "br" || word == "ret" || word == "unreachable" ||
        word == "resume") {
        add_labels($0); terminator = "rest"
    }
    if (block == 0 && word ~ /^(br|ret|unreachable|resume|switch|indirectbr|invoke|callbr)$/)
        entry_terminator = word
}
END {
    for (f = 1; f <= functions; f++)
        print order[f], (attributes[f] in noprofile ? "!" : skipped[f] ? "-" : "+") (merge[f] ? "w" : "d"),
            pattern[f]
}
