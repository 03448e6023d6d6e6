#!/usr/bin/env bash
# The runtime of programs that record traces: every event and record is in the events file, whatever
# ends the program; threads, children of fork, landings, limits. Code is traced by hand (traced.c),
# files are read by a program of the test's own (trace_dump.c).
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"
build_traced_by_hand
build_traced_static static-pie "$HERE/traced.c" -static-pie

rm -f ./*.cotree*
run() { # STATUS COMMAND...
    local wanted=$1 status=0
    shift
    rm -f ./*.cotree*
    "$@" >output 2>/dev/null || status=$?
    [ "$status" = "$wanted" ] || fail "$*: status $status, wanted $wanted"
    case $wanted in 0) expect "$*: output" "$(cat output)" "${SAYS-done}" ;; esac
}

for program in prog static static-pie; do
    run 0 ./$program w 5
    expect "$program" "$(records)" \
        "header pid flags=0 finished=1 streams=1; stream 0 state=2 next=0; THREAD calls=0 what at=0; ENTER 1000 calls=0; END calls=0 what=2 at=6; events 6 sum=11: 1x1 2x5; "
done
run 0 ./prog c 3
expect calls "$(records)" \
    "header pid flags=0 finished=1 streams=1; stream 0 state=2 next=0; THREAD calls=0 what at=0; ENTER 1000 calls=0; ENTER 2000 calls=1; ENTER 2000 calls=3; ENTER 2000 calls=5; END calls=6 what=2 at=10; events 10 sum=28: 1x1 3x9; "
expect "the data file is there, too" "$(ls prog.*.cotree | wc -l)" 1

# What holds little is made small at the end.
for letters in c th f wa; do
    status=0
    rm -f ./*.cotree*
    ./prog $letters 3 >/dev/null 2>&1 || status=$?
    for file in ./*-events; do
        [ "$(stat -c %s "$file")" -lt 3000000 ] ||
            fail "$letters: an events file of $(stat -c %s "$file") bytes is left"
    done
done

# Memory that is all locked: the events file is not.
for which in 1 2; do
    wanted=$(COTREE=off ./prog L $which)
    SAYS=$wanted run 0 timeout 600 ./prog L $which
    expect "locked" "$(./tdump ./*-events | grep '^events')" "events 100001 sum=200001: 1x1 2x100000"
done

# Endings: CLEAN 2, EXEC 3, EXITED 4, SIGNAL 5; nothing after SIGKILL.
for ending in 'k 137' 'a 134 END calls=1 what=5 at=1' '_ 3 END calls=1 what=4 at=1' \
    'V 139 END calls=0 what=5 at=1'; do
    read -r letter status end <<<"$ending"
    run "$status" ./prog "$letter"
    expect "ending $letter" "$(./tdump ./*-events | grep END || :)" "$end"
    expect "ending $letter: events" "$(./tdump ./*-events | grep events)" "events 1 sum=1: 1x1"
done
SAYS= run 0 ./prog x # the first exec fails, the second does not
expect exec "$(./tdump ./*-events | grep -c END) $(./tdump ./*-events | grep END)" "1 END calls=3 what=3 at=2"

# A landing says where, and where events stood.
run 0 ./prog j
expect landing "$(./tdump ./*-events | grep LAND)" "LAND calls=4 function=1000 block=5 call=1 entry=0 at=5"

# 16 threads at once: each has its thousand and some events, in whatever stream; 200 in sequence
# share a few streams.
threads() { # NUMBER: what all of them wrote
    awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) sum += (1000 + i) * (10 + i % 100); print sum + 1 }'
}
run 0 ./prog t 16
expect "threads" "$(./tdump ./*-events | sed -n 's/^events .*sum=\([0-9]*\).*/\1/p' | paste -sd+ | bc)" \
    "$(threads 16)"
expect "threads begun" "$(./tdump ./*-events | grep -c THREAD)" 17
run 0 ./prog s 200
expect "threads in sequence" \
    "$(./tdump ./*-events | sed -n 's/^events .*sum=\([0-9]*\).*/\1/p' | paste -sd+ | bc)" "$(threads 200)"
[ "$(./tdump ./*-events | sed -n 's/.*streams=//p')" -le 8 ] ||
    fail "streams of ended threads are not used again"

# 50 children: a file each, which begins with the frames it found.
run 0 ./prog f 50
expect "children" "$(ls ./*-events | wc -l)" 51
for file in ./*-events; do ./tdump "$file"; done >all
expect "children's frames" "$(grep -c FRAMES all)" 50
for i in 0 17 49; do
    expect "child $i" "$(grep -c "^events $((21 + i)) sum=[0-9]*: $((50 + i))x1 6x$((20 + i))\$" all)" 1
done
expect "the parent" "$(grep -A3 THREAD all | tr '\n' ' ' | sed 's/what=[0-9]* at=0/what/')" \
    "THREAD calls=0 what ENTER 1000 calls=0 END calls=100 what=2 at=91 events 91 sum=451: 1x1 5x90 "
expect "children begin where their parent stood" "$(grep -A4 FRAMES all | grep -c 'at=0$')" 50

# Long: pages are let go behind the thread, and nothing is lost.
run 0 ./prog b 100000
expect "long" "$(./tdump ./*-events | tail -2 | tr '\n' ' ')" \
    "enters 100001 events 100000001 sum=400000001: 1x1 4x100000000 "
(ulimit -f 20000; run 0 ./prog wb 6000; ./tdump ./*-events >limited)
expect "a size limit: said" "$(sed -n 's/header.*flags=\([0-9]*\).*/\1/p' limited)" 1
grep -q LOST limited || fail "a size limit: no record"
grep -q MOVED limited || fail "a size limit: never moved"
(ulimit -v 4000000; run 0 ./prog wb 30; ./tdump ./*-events | grep -q 'events 30031 sum=120061' ||
    fail "ulimit -v: events")

# Nothing is written when nothing is wanted, or possible.
COTREE=off run 0 ./prog wcbtj 100
expect "COTREE=off" "$(ls ./*.cotree* 2>/dev/null)" ""
COTREE_FILE=/nonexistent/x.cotree run 0 ./prog wct 20
# An events file that is left over from another run is not touched.
rm -f ./*.cotree*
echo other >mine.cotree-events
COTREE_FILE=mine.cotree ./prog w 5 >output
expect "somebody's events file" "$(cat mine.cotree-events) $(ls mine*)" "other mine.1.cotree
mine.1.cotree-events
mine.cotree-events"

# valgrind: the same.
if command -v valgrind >/dev/null; then
    rm -f ./*.cotree*
    expect "valgrind: output" "$(valgrind -q ./prog wcthj 5 2>&1)" "done"
    expect "valgrind: events" \
        "$(./tdump ./*-events |
        awk '/^events/ { split($3, s, /[=:]/); n += $2; sum += s[2] } END { print n, sum }')" \
        "$(rm -f ./*.cotree*; ./prog wcthj 5 >/dev/null; ./tdump ./*-events |
        awk '/^events/ { split($3, s, /[=:]/); n += $2; sum += s[2] } END { print n, sum }')"
else
    echo "skipped: no valgrind"
fi

# A library that is traced as well writes in the program's streams; alone under a plain program it
# has its own.
"$CLANG" $CFLAGS_TEST -fPIC -shared -Wl,--build-id -DLIBRARY "$HERE/traced_library.c" \
    "$RUNTIME/trace-shared.a" "$RUNTIME/runtime-shared.a" -o libtraced.so
build_traced with "$HERE/traced_library.c" -DTRACED -L. -ltraced -Wl,-rpath,"$PWD"
"$CLANG" $CFLAGS_TEST "$HERE/traced_library.c" -L. -ltraced -Wl,-rpath,"$PWD" -o plain
rm -f ./*.cotree*
./with
expect "a library's events" \
    "$(./tdump ./*-events | sed 's/what=[0-9]* at=0/what/' | tail -n +3 | tr '\n' ';')" \
    "THREAD calls=0 what;ENTER 1000 calls=0;ENTER 6000 calls=1;END calls=2 what=2 at=4;events 4 sum=68: 1x1 33x2 1x1;"
rm -f ./*.cotree*
./plain
expect "a library's own" "$(./tdump ./*-events | grep -E 'ENTER|^events' | tr '\n' ';')" \
    "ENTER 6000 calls=0;events 2 sum=66: 33x2;"
