# Is what each thread of the first file did (cotree trace --export=blocks --addresses) an in-order
# subsequence of what valgrind's lackey says in the second? Of a value that is narrowed at once the
# code generator loads only the low bytes: the address is the same.
function want(kind, place) {
    split(place, part, ",")
    count[threads]++
    wanted[threads, count[threads]] = kind " " part[1]
    size[threads, count[threads]] = part[2]
}
function try(thread, kind, address, bytes,   next_one) {
    next_one = found[thread] + 1
    if (wanted[thread, next_one] == kind " " address && bytes <= size[thread, next_one]) {
        narrowed += bytes < size[thread, next_one]
        found[thread]++
    }
}
FNR == NR {
    if ($1 == "thread") threads++
    else if ($1 == "M") { want("L", $2); want("S", $2) }
    else if (NF == 2 && $1 ~ /^[LS?]$/) want($1, $2)
    next
}
NF == 2 && $1 ~ /^[LSM]$/ {
    split($2, part, ",")
    for (i = 1; i <= threads; i++) {
        if ($1 != "S") try(i, "L", part[1], part[2])
        if ($1 != "L") try(i, "S", part[1], part[2])
    }
}
END {
    for (i = 1; i <= threads; i++) {
        total += count[i]
        if (found[i] < count[i]) {
            print "stream " i ": " found[i] + 0 " of " count[i] " found; missing: " wanted[i,
                found[i] + 1] "," size[i, found[i] + 1]
            bad = 1
        }
    }
    print total + 0 " accesses, " narrowed + 0 " narrowed"
    exit bad || !total
}
