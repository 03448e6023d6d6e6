# Work for an awk: fields, associative arrays, regular expressions, string functions, recursion. Arrays are walked in an order of our own,
# so that gawk and mawk each give one output whatever their hash order.
function reverse(s,   i, r) { for (i = length(s); i > 0; i--) r = r substr(s, i, 1); return r }
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) }
function ackermann(m, n) { return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)) }
{
    fields += NF
    for (i = 1; i <= NF; i++) { word = tolower($i); gsub(/[^a-z]/, "", word); if (word != "") { if (!(word in count)) order[++words] = word; count[word]++ } }
    if ($0 ~ /^[A-Z][a-z]+ [A-Z]/) dates++
    if (match($0, /\([a-z_]+\)/)) names = names length(substr($0, RSTART, RLENGTH)) % 10
    if (NR % 50 == 0) print NR ": " reverse($0)
}
END {
    for (i = 1; i <= words; i++) { n = count[order[i]]; total += n; if (n > best) { best = n; most = order[i] } histogram[n]++ }
    for (n = 1; n <= best; n++) if (n in histogram) line = line " " n ":" histogram[n]
    print fields, words, total, most, best, dates, length(names)
    print line
    print fib(17), ackermann(2, 30)
    n = split(line, part, /[ :]/)
    for (i = 2; i <= n; i++) { for (j = i; j > 2 && part[j - 1] + 0 > part[j] + 0; j--) { t = part[j]; part[j] = part[j - 1]; part[j - 1] = t } }
    printf "%d %s %5.2f %s\n", n, part[n], part[n] / 3, sprintf("%x", part[n])
}
