#!/usr/bin/env bash
# A child that can make no file behaves as without a trace, and what nobody recorded of it is said;
# a vfork child needs none.
set -eu
cotree=$COTREE_BUILD/cotree
source=$COTREE_TOP/tests/trace/programs/without-file.c
fail() { echo "$*" >&2; exit 1; }
verdict() { # PROGRAM DATA...
    "$cotree" report --format=json "$@" >json || fail "$*: $?"
    jq -r '"\(.exact) \(.functions[] | select(.name == "work").entries)"' json
}
# Does a bound cover the true number, 20 rounds in one entry? null: it is not known.
covers() {
    jq -e '[.functions[] |
        select(.name == "work" and (.exact | not) and (.max_error == null or .max_error >= 1))] |
        length == 1' json >/dev/null
}

hows='n f:0 f:4096 f:40960 f:10000000 f:100000000'
if [ "$(id -u)" = 0 ]; then hows="$hows c u"; else echo "skipped: chroot and setuid, which need root"; fi
for kind in trace edges paths; do
    "$cotree" cc -O1 -fcotree=$kind "$source" -o prog-$kind -lpthread
    for how in $hows; do
        for made in F C T V; do
            rm -rf data; mkdir data
            said=$(COTREE_FILE=data/%p.cotree ./prog-$kind "${how%:*}" $made "${how#*:}") ||
                fail "$kind $how $made: status $?"
            [ "$said" = 'child 700' ] || fail "$kind $how $made: $said"
            got=$(verdict prog-$kind data/*.cotree)
            wanted=1; [ $made != T ] || wanted=2
            case $got in
            "true $wanted") ;;
            true*) fail "$kind $how $made: $got, though $wanted: $(ls data)" ;;
            *)
                covers || fail "$kind $how $made: the bound"
                [ $made != V ] ||
                    fail "$kind $how $made: a vfork child is its parent's: $got $(jq -c .why_not_exact json)"
                [ $kind = trace ] || echo "$kind $how $made: $got $(jq -c .why_not_exact json)"
                ;;
            esac
        done
    done
done
# The other commands say it, too.
COTREE_FILE=said.cotree ./prog-trace n F >/dev/null
if "$cotree" trace prog-trace said.cotree >said; then fail "complete: $(cat said)"; fi
grep -q 'lost: all that 1 thread or process did' said || fail "$(cat said)"

# In a pool, too: one process of two could make no events file.
mkdir pool
COTREE_FILE=pool/%m.cotree ./prog-trace x F >/dev/null
[ "$(verdict prog-trace pool/*.cotree)" = 'true 1' ] || fail "a pool: $(cat json)"
(ulimit -f 1000; COTREE_FILE=pool/%m.cotree ./prog-trace x F >/dev/null)
verdict prog-trace pool/*.cotree >got
covers || fail "a pool with a process that is not traced: $(cat got)"
