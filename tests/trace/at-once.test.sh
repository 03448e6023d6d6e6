#!/usr/bin/env bash
# A trace can be read at any moment, whatever its follower does meanwhile: what is read is what was
# there at one moment.
set -eu
cotree=$COTREE_BUILD/cotree
source=$COTREE_TOP/tests/trace/programs/crowd.c
fail() { echo "$*" >&2; exit 1; }
"$cotree" cc -O1 -fcotree=trace "$source" -o few -lpthread
"$cotree" cc -O1 -fcotree=trace -DROUNDS=3000 "$source" -o many -lpthread
question='[.exact, (.functions[] | select(.name == "work").entries), (.why_not_exact | length)] | tostring'

# Somebody packs while a reader is in the midst of it: the reader is stopped where it stands,
# packing begins, the reader goes on. It must not have ended before: otherwise the next one is
# tried.
COTREE_FILE=whole.cotree COTREE_FOLLOWER=off ./many
"$cotree" report --format=json many whole.cotree >whole.json
[ "$(jq -r "$question" whole.json)" = '[true,24,0]' ] || fail "alone: $(jq -r "$question" whole.json)"
waits_for_readers() { # INODE
    grep -q -- "-> OFDLCK .*:$1 " /proc/locks
}
met=0
for _ in $(seq 60); do
    cp whole.cotree met.cotree
    cp --sparse=always whole.cotree-events met.cotree-events
    inode=$(stat -c %i met.cotree-events)
    "$cotree" report --format=json many met.cotree >met.json &
    reader=$!
    until ls -l "/proc/$reader/fd" 2>/dev/null | grep -q met.cotree-events ||
        ! kill -0 "$reader" 2>/dev/null; do :; done
    kill -STOP "$reader" 2>/dev/null || :
    "$cotree" trace --pack met.cotree &
    packer=$!
    until waits_for_readers "$inode" || ! kill -0 "$packer" 2>/dev/null; do sleep 0.01; done
    # A second reader waits for who packs, says so, and goes on without, since that does nothing.
    held=no
    if waits_for_readers "$inode"; then held=yes; fi
    if [ $held = yes ] && [ "$met" = 0 ]; then
        "$cotree" report --format=json many met.cotree >second.json 2>said || fail "the second reader: $?"
        cmp second.json whole.json || fail "the second reader: $(jq -r "$question" second.json)"
        grep -q "waiting for process $packer, which packs the trace" said ||
            fail "nothing is said of a wait: $(cat said)"
    fi
    kill -CONT "$reader" 2>/dev/null || :
    wait "$reader" || fail "the reader"
    wait "$packer" || fail "who packs"
    cmp met.json whole.json || fail "while it was packed: $(jq -r "$question" met.json)"
    [ ! -e met.cotree-events ] || fail "it was not packed"
    [ $held = no ] || met=$((met + 1))
    [ "$met" -lt 5 ] || break
done
[ "$met" -ge 5 ] || fail "the reader was met only $met times"

# At once after a program of joined threads, two hundred times, while others keep the machine busy.
# One that executes another program, and one that leaves much, have a follower that begins when they
# have ended.
load=
for _ in 1 2; do
    sh -c 'while :; do :; done' &
    load="$load $!"
done
trap 'kill $load 2>/dev/null || :' EXIT
at_once() { # WORKER
    local program
    for i in $(seq 40); do
        program='few /bin/true'
        [ $((i % 20)) != 0 ] || program=many
        COTREE_FILE=$1.cotree COTREE_FOLLOWER=$cotree ./$program
        "$cotree" report --format=json "${program%% *}" "$1.cotree" >"$1.json"
        jq -r "$question" "$1.json"
        rm -f "$1".cotree*
    done
}
workers=
for worker in 1 2 3 4 5; do
    at_once "$worker" >"said.$worker" &
    workers="$workers $!"
done
for worker in $workers; do wait "$worker" || fail "a run or its report"; done
said=$(sort said.* | uniq -c | sed 's/^ *//')
[ "$said" = '200 [true,24,0]' ] || fail "at once: $said"
