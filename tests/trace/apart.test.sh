#!/usr/bin/env bash
# A traced library whose names lead to its own runtime (RTLD_DEEPBIND, dlmopen), in a traced
# program: what is not kept of it is said, in the one file of the program. Counters are kept.
set -eu
cotree=$COTREE_BUILD/cotree
programs=$COTREE_TOP/tests/trace/programs
fail() { echo "$*" >&2; exit 1; }
for kind in trace edges; do
    "$cotree" cc -O2 -fcotree=$kind -shared -fPIC "$programs/apart_library.c" -o liba.so
    "$cotree" cc -O2 -fcotree=$kind "$programs/apart.c" -o prog -ldl
    for how in - D N; do
        rm -rf data; mkdir data
        said=$(COTREE_FILE=data/%p.cotree COTREE_FOLLOWER=off ./prog $how) || fail "$kind $how: status $?"
        [ "$said" = 150 ] || fail "$kind $how: $said"
        [ "$(ls data/*.cotree | wc -l)" = 1 ] || fail "$kind $how: $(ls data)"
        "$cotree" report --format=json prog data/*.cotree >json 2>said ||
            fail "$kind $how: report: $? $(cat said)"
        got=$(jq -r '"\(.functions[] | select(.name == "libf") | "\(.exact) \(.entries)")"' json)
        case "$kind $how" in
        'trace D' | 'trace N')
            [ "${got% *}" = false ] || fail "$kind $how: $got, though 5"
            jq -e '.why_not_exact | tostring | test("a runtime of its own")' json >/dev/null ||
                fail "$kind $how: $(jq -c .why_not_exact json)"
            ;;
        *) [ "$got" = 'true 5' ] || fail "$kind $how: $got $(jq -c .why_not_exact json)" ;;
        esac
    done
done
