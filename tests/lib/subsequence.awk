# Is what each thread of the first file did (cotree trace --export=blocks --addresses) an in-order
# subsequence of what valgrind's lackey says in the second? Of a value that is narrowed at once the
# code generator loads only the low bytes: the address is the same.
function want(kind, place) {
    split(place, part, ",")
    count[threads]++
    wanted[threads, count[threads]] = kind
    address[threads, count[threads]] = part[1] ","
    size[threads, count[threads]] = part[2]
}
# Is the next that is wanted of the thread at this place, and of this kind?
function try(thread, kind, place,   next_one, start, bytes) {
    next_one = found[thread] + 1
    start = address[thread, next_one]
    if (wanted[thread, next_one] != kind || index(place, start) != 1) return
    bytes = substr(place, length(start) + 1) + 0
    if (bytes <= size[thread, next_one]) {
        narrowed += bytes < size[thread, next_one]
        found[thread]++
        next_address[thread] = address[thread, next_one + 1]
    }
}
FNR == 1 && FNR != NR { for (i = 1; i <= threads; i++) next_address[i] = address[i, 1] }
FNR == NR {
    if ($1 == "thread") threads++
    else if ($1 == "M") { want("L", $2); want("S", $2) }
    else if (NF == 2 && $1 ~ /^[LS?]$/) want($1, $2)
    next
}
{
    # Nearly all are of addresses that nobody waits for.
    for (i = 1; i <= threads; i++) {
        if (index($2, next_address[i]) != 1 || NF != 2 || $1 !~ /^[LSM]$/) continue
        if ($1 != "S") try(i, "L", $2)
        if ($1 != "L") try(i, "S", $2)
    }
}
END {
    for (i = 1; i <= threads; i++) {
        total += count[i]
        if (found[i] < count[i]) {
            at = found[i] + 1
            print "stream " i ": " found[i] + 0 " of " count[i] " found; missing: " wanted[i, at] " " \
                address[i, at] size[i, at]
            bad = 1
        }
    }
    print total + 0 " accesses, " narrowed + 0 " narrowed"
    exit bad || !total
}
