# What bench/trace.sh measured, as tables. A line `program NAME`, then lines of the measurement:
# instructions, resident, and for each program of the package what build/bench/witnesses prints.
$1 == "program" { name[++names] = n = $2; next }
$1 == "instructions" { plain[n] = $2; traced[n] = $3; guarded[n] = $4; rss_plain[n] = $5; next }
$1 == "costs" {
    if (!($2 in cost_known)) { cost_known[$2] = 1; placement[++placements] = $2 }
    cost[n, $2] = $3
    next
}
$1 == "resident" { rss[n] = $2; rss_follower[n] = $3; next }
$1 == "blocks" {
    blocks[n] += $2
    branches[n] += $4
    events[n] += $6
    records[n] += $8
    packed[n] += $10
    lost[n] += $12
    seconds[n] += $14
    next
}
$1 == "placement" { next }
{
    if (!($1 in known)) { known[$1] = 1; way[++ways] = $1 }
    bytes[n, $1] += $3; small[n, $1] += $4; written[n, $1] += $2
}
# Instructions over the plain build, or - where they were not measured.
function over(n, count, which) {
    if (!count || !plain[n]) return "-"
    over_sum[which] += log(count / plain[n]); over_many[which]++
    return sprintf("%.2f", count / plain[n])
}
function over_all(which) {
    return over_many[which] ? sprintf("%.3f", exp(over_sum[which] / over_many[which])) : "-"
}
function mean(sum) { return exp(sum / names) }
END {
    if (!names) exit 1
    print "| program | traced: instructions | callback | resident, plain MiB | traced MiB | follower MiB |\n|---|---|---|---|---|---|"
    for (i = 1; i <= names; i++) {
        n = name[i]
        printf "| %s | %s | %s | %.1f | %.1f | %.1f |\n", n, over(n, traced[n], 1), over(n, guarded[n], 2),
            rss_plain[n] / 1024, rss[n] / 1024, rss_follower[n] / 1024
        more = rss[n] - 1.1 * rss_plain[n]
        if (i == 1 || more > most_more) { most_more = more; largest = n }
    }
    printf "| geometric mean | %s | %s | | | |\n\n", over_all(1), over_all(2)

    printf "| instructions | forest |"
    for (w = 1; w <= placements; w++) printf " %s |", placement[w]
    printf "\n|---|---|"
    for (w = 1; w <= placements; w++) printf "---|"
    print ""
    for (i = 1; i <= names; i++) {
        n = name[i]
        printf "| %s | %s |", n, over(n, traced[n], 3)
        for (w = 1; w <= placements; w++) printf " %s |", over(n, cost[n, placement[w]], 3 + w)
        print ""
    }
    printf "| geometric mean | %s |", over_all(3)
    for (w = 1; w <= placements; w++) printf " %s |", over_all(3 + w)
    print "\n"

    print "| program | million blocks | million branches | bytes a block | on disk | bits a branch | million blocks/s |\n|---|---|---|---|---|---|---|"
    for (i = 1; i <= names; i++) {
        n = name[i]
        printf "| %s | %.0f | %.0f | %.3f | %.4f | %.3f | %.0f |%s\n", n, blocks[n] / 1e6, branches[n] / 1e6,
            (events[n] + 16 * records[n]) / blocks[n], packed[n] / blocks[n],
            8 * packed[n] / branches[n], blocks[n] / seconds[n] / 1e6, lost[n] ? " LOST " lost[n] : ""
        all_blocks += blocks[n]
        all_seconds += seconds[n]
        all_packed += packed[n]
        all_branches += branches[n]
        all_written += events[n] + 16 * records[n]
        b += log(8 * packed[n] / branches[n]); speed += log(blocks[n] / seconds[n] / 1e6)
    }
    printf "| all, or geometric mean | %.0f | %.0f | %.3f | %.4f | %.3f | %.0f |\n\n", all_blocks / 1e6,
        all_branches / 1e6, all_written / all_blocks, all_packed / all_blocks, mean(b), mean(speed)

    printf "| bits on disk a branch |"
    for (w = 1; w <= ways; w++) printf " %s |", way[w]
    printf "\n|---|"
    for (w = 1; w <= ways; w++) printf "---|"
    print ""
    for (i = 1; i <= names; i++) {
        n = name[i]
        printf "| %s |", n
        for (w = 1; w <= ways; w++) {
            # Records are packed apart from events.
            bits = 8 * (small[n, way[w]] + packed[n] - small[n, "as-built"]) / branches[n]
            printf " %.3f |", bits
            sum[w] += log(bits)
            a_block[w] += bytes[n, way[w]] + 16 * records[n]
        }
        print ""
    }
    printf "| geometric mean |"
    for (w = 1; w <= ways; w++) printf " %.3f |", mean(sum[w])
    printf "\n| bytes written a block, all |"
    for (w = 1; w <= ways; w++) printf " %.3f |", a_block[w] / all_blocks
    printf "\n\n%d programs: instructions %s x in %d of them (callback %s x in %d); %.3f bits a branch (all together %.3f); %.0f million blocks a second; ", names, over_all(1), over_many[1],
        over_all(2), over_many[2], mean(b), 8 * all_packed / all_branches, mean(speed)
    printf "resident at most 1.1 x plain + %.1f MiB (%s)\n", most_more / 1024, largest
}
