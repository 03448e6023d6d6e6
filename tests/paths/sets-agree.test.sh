#!/usr/bin/env bash
# Paths that did not end, at exit, fork, jumps and deaths, are no difference between paths and
# edges: --check-sets says nothing of a profile that is exact.
set -u
cotree=$COTREE_BUILD/cotree programs=$COTREE_TOP/tests/frames/programs
ulimit -c 0
failures=0
for name in _exit exit-in-handler exit-tail-call fork-deep fork-exits longjmp-loop longjmp-handler; do
    for level in -O0 -O2; do
        rm -rf data json; mkdir data
        "$cotree" cc -w -std=gnu17 -pthread $level -fcotree=paths,every-edge "$programs/$name.c" -o prog \
            2>log || { echo "$name $level: $(head -n 1 log)"; failures=1; continue; }
        { COTREE_FILE=$PWD/data/%p.cotree timeout 60 ./prog >output 2>&1; } 2>log
        status=0
        "$cotree" report --check-sets --format=json -o json prog data 2>said || status=$?
        if [ $status != 0 ] || [ -s said ]; then
            echo "$name $level: report ends with $status: $(head -n 1 said)"; failures=1
        fi
        jq -e '.exact and ([.functions[] | .entries] | add) > 0' json >output ||
            { echo "$name $level: not exact"; failures=1; }
    done
done
exit $failures
