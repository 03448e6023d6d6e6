#!/usr/bin/env bash
# What a process leaves is sealed when it ends and nobody can count in it any more; nothing that is
# counted after all looks like damage, and damage is seen.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
cotree cc -O1 -pthread -D_GNU_SOURCE "$COTREE_TOP/tests/decode/seals.c" -o prog
cotree cc -O1 -static -pthread -D_GNU_SOURCE -DPLAIN "$COTREE_TOP/tests/decode/seals.c" -o static
cotree cc -O1 -static -pthread -D_GNU_SOURCE "$COTREE_TOP/tests/decode/seals.c" -o static-cookie
word() { od -A n -t u8 -j "$2" -N 8 "$1" | tr -d ' '; }
is_sealed() { (($(word "$1" 504) & 1)); }
used() { # file what: it is read, and what is expected of it holds
    cotree report --format=json "$program" "$1" >report.json 2>err || die "$2: refused: $(cat err)"
}
exact() { used "$@"; [ "$(jq .exact report.json)" = true ] || die "$2: $(jq -c .why_not_exact report.json)"; }
leave() { # how: one.cotree of it
    rm -f one.cotree*
    { COTREE_FILE=one.cotree ./$program "$1" >/dev/null 2>&1 || :; } 2>/dev/null
    [ -e one.cotree ] || die "$1: no file"
}

for program in prog static; do
    for how in return exit _exit abort exec exec-fails joined alive handled; do
        leave $how
        exact one.cotree "$program $how"
        is_sealed one.cotree || die "$program $how: not sealed"
    done
    leave kill
    used one.cotree "$program kill"
    ! is_sealed one.cotree || die "$program kill: sealed"
    # A child has a file of its own; both are sealed.
    mkdir $program.child; (cd $program.child; ../$program child; sleep 0.2)
    for file in $program.child/*.cotree; do
        exact "$file" "$program fork"; is_sealed "$file" || die "$program fork: not sealed"
    done
    [ "$(ls $program.child | wc -l)" -eq 2 ]
    # Handlers that come whenever they like, up to the last moment.
    for how in timer timer-_exit timer-exec; do
        for i in $(seq 15); do leave $how; used one.cotree "$program $how $i"; done
    done
    # Nobody reads what it writes last until it waits there (asleep, its end noted), and a handler
    # has taken the seal away.
    rm -f one.cotree pipe; mkfifo pipe
    exec 3<>pipe
    COTREE_FILE=one.cotree ./$program late >&3 3>&- & late=$!
    until [ -e one.cotree ] && [ "$(($(word one.cotree 4160) & 255))" = 3 ] &&
        grep -q ') S' /proc/$late/stat; do sleep 0.01; done
    for i in $(seq 1000); do is_sealed one.cotree || break; sleep 0.01; done
    cat <pipe >/dev/null 3>&- & reader=$!
    wait $late
    exec 3>&-
    wait $reader
    used one.cotree "$program late"
    ! is_sealed one.cotree || die "$program late: sealed, though handlers counted"
done

# Functions of the program that write when the C library flushes streams count after everything else.
for program in prog static-cookie; do
    leave cookie
    exact one.cotree "$program cookie"
    ! is_sealed one.cotree || die "$program cookie: sealed"
    [ "$(jq '[.functions[] | select(.name == "write_counted") | .entries] == [1]' report.json)" = true ] ||
        die "$program: what was written last is lost"
done

# Damage is seen, wherever it is: in a block, an event, a slot, the header; and in a pool.
program=prog
refused() { # what file offset
    cp one.cotree damaged.cotree
    printf "$(printf '\\%03o' $(($(od -A n -t u1 -j "$2" -N 1 one.cotree) ^ ${3:-4})))" |
        dd of=damaged.cotree bs=1 seek="$2" conv=notrunc status=none
    s=0; cotree report prog damaged.cotree >/dev/null 2>err || s=$?
    [ $s -eq 2 ] && grep -q "$4" err || die "$1: status $s, $(cat err)"
}
leave joined
block=$(word one.cotree $((4096 + 64 + 24)))
refused "a count" $((block + 16)) 4 'seal'
refused "a slot" $((4096 + 64 + 44)) 4 'seal'
refused "flags" 21 4 'seal'
refused "the name of the run" 144 4 'seal'
leave exit
event=$(od -A d -t u8 -w8 -v -j $((8192 + 16)) -N 4064 one.cotree | awk '$2 != 0 { print $1 + 0; exit }')
refused "the place of a frame" "$event" 4 'seal'
refused "how often" $((event + 8)) 2 'seal'
# Versions are told apart.
cp one.cotree damaged.cotree; printf '\1' | dd of=damaged.cotree bs=1 seek=8 conv=notrunc status=none
refuses 2 "version 1 of the format, this cotree reads version 2" sh \
    -c "cotree report prog damaged.cotree 2>&1 | head -1; exit 2"

# A pool: processes come, go and are killed, and it is read meanwhile; it never looks damaged, and
# when all have ended, it is sealed again.
export COTREE_FILE=pool.%m.cotree
./prog return
pool=$(echo pool.*.pool.cotree)
for i in $(seq 8); do (for k in $(seq 12); do ./prog joined; done) & done
for i in $(seq 30); do used "$pool" "a pool in use"; done
wait
exact "$pool" "a pool"
is_sealed "$pool" || die "a pool that nobody uses is not sealed"
[ "$(jq .runs report.json)" = 97 ] || die "runs: $(jq .runs report.json)"
for i in $(seq 4); do (for k in $(seq 10); do ./prog timer; done) & done
for i in $(seq 10); do ./prog kill || :; used "$pool" "a pool in use"; done 2>/dev/null
wait
used "$pool" "a pool with killed runs"
! is_sealed "$pool" || die "sealed, though runs were killed"
