#!/usr/bin/env bash
# Signal handlers of traced programs write streams of their own, which say whom they interrupted;
# jumps out of them lead back. The program sees its own actions. Stores that fail (a full disk, a
# region's end) never end a program, and are said.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"
build_traced_by_hand


for program in prog static; do
    rm -f ./*.cotree*
    expect "$program: handlers" "$(./$program h)" "done"
    expect "$program: handlers' streams" "$(records)" "header pid flags=0 finished=1 streams=3; \
stream 0 state=2 next=0; THREAD calls=0 what at=0; ENTER 1000 calls=0; END calls=6 what=2 at=3; events 3 sum=42: 1x1 20x1 21x1; \
stream 1 state=3 next=0; THREAD calls=0 what at=0; SIGNAL calls=0 signal=10 of=0 at=1 its-calls=1; ENTER 4000 calls=0; END calls=0 what=1 at=3; \
THREAD calls=0 what at=3; SIGNAL calls=0 signal=12 of=0 at=2 its-calls=3; ENTER 4000 calls=0; END calls=2 what=1 at=6; \
THREAD calls=0 what at=6; SIGNAL calls=0 signal=10 of=0 at=3 its-calls=5; ENTER 4000 calls=0; END calls=0 what=1 at=9; events 9 sum=996: 110x3 112x3 110x3; \
stream 2 state=3 next=0; THREAD calls=0 what at=0; SIGNAL calls=0 signal=10 of=1 at=6 its-calls=1; ENTER 4000 calls=0; END calls=0 what=1 at=3; events 3 sum=330: 110x3; "
    for case in 'l 6 1 22 110x2' 'v 7 0 23 111x1'; do
        read -r letter block calls event handlers <<<"$case"
        rm -f ./*.cotree*
        expect "$program: $letter" "$(./$program "$letter")" "done"
        expect "$program: jump out of a handler, $letter" \
            "$(./tdump ./*-events | grep -E 'LAND|^events' | tr '\n' ';')" \
            "LAND_HANDLER calls=$calls function=1000 block=$block call=1 entry=0 at=1;events 2 sum=$((1 + event)): 1x1 ${event}x1;events ${handlers#*x} sum=$((${handlers%x*} * ${handlers#*x})): $handlers;"
    done
done

# A handler that ends the program: what it interrupted has ended, too, and both say where they stood.
for case in 'D 134 STOOD calls=1 what=N at=2;END calls=1 what=5 at=2;' 'E 4 END calls=1 what=4 at=2;'; do
    read -r letter status end <<<"$case"
    rm -f ./*.cotree*
    got=0
    ./prog "$letter" 2>/dev/null || got=$?
    expect "$letter: status" $got "$status"
    expect "$letter: ends" \
        "$(./tdump ./*-events | grep -E 'STOOD|END' | sed '/STOOD/s/what=[1-9][0-9]*/what=N/' |
        tr '\n' ';')" \
        "STOOD calls=1 what=N at=1;END calls=1 what=5 at=1;$end"
    # The youngest frame is the function that called the C library: main's own for the first stream.
    ./tdump ./*-events | awk '/STOOD/ { n++; next } /^frame/ && n > seen { seen = n; print $2 }' |
        while read -r address; do
        addr2line -f -e prog "0x$address" | head -n 1
    done | paste -sd' ' >stood
    expect "$letter: where" "$(cat stood)" "$([ "$letter" = D ] && echo 'main dies_in_handler' || echo main)"
done

# A timer interrupts traced code and thunks anywhere: nothing of either is lost.
"$CLANG" $CFLAGS_TEST -c "$HERE/traced_storm.c" -o storm.o
build_traced storm storm.o
rm -f ./*.cotree*
wanted=$(./storm 3000000)
got=$(./tdump ./*-events |
    awk '/^stream/ { n++ }
        /^events/ { split($3, sum, /[=:]/); total[n > 1] += sum[2]; length_of[n > 1] += $2 }
        END { print length_of[0], length_of[1] }')
expect "under a storm of signals" "$got" "$wanted"
[ "${wanted#* }" -gt 100 ] || fail "hardly a signal came: $wanted"

# Without a place to write to, code without thunks stores on and on.
expect "nowhere, for long" "$(COTREE=off ./prog w 1500000000)" "done"
expect "nowhere, handlers" "$(COTREE=off ./prog hlv)" "done"
status=0
COTREE=off ./prog V 2>/dev/null || status=$?
expect "a fault of its own" "$status" 139

# Full disks.
if [ "$(id -u)" != 0 ]; then
    echo "skipped: full disks, which need root"
    exit 77
fi
mkdir disk
full() { # PROGRAM'S LETTER, NUMBER
    (cd disk && ../prog "$1" "$2" >../output) || fail "full disk, $1: status $?"
    expect "full disk: output" "$(cat output)" "done"
    ./tdump disk/*-events >dumped
    expect "full disk: said" "$(sed -n 's/header.*flags=\([0-9]*\).*/\1/p' dumped)" 1
    events=$(sed -n 's/^events \([0-9]*\) .*/\1/p' dumped)
    [ "$events" -gt 1000000 ] || fail "full disk: only $events events"
}
if mount -t tmpfs -o size=3m tmpfs disk 2>/dev/null; then
    trap 'umount "$PWD/disk"' EXIT
    full w 30000000
    rm disk/*
    full b 30000
    rm disk/*
    mount -o remount,size=12m disk
    full B 30000 # nobody can help when a store fails: there must be room before it is made
else
    echo "skipped: full disks, which need a mount"
fi
