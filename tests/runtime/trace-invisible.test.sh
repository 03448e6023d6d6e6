#!/usr/bin/env bash
# Programs that record traces see of the runtime what others see: nothing. Tests of that, once more
# with traces: there every handler of the program's is entered through one of ours.
set -eu
export RUNTIME_TRACED=1 COTREE_FOLLOWER=off
mkdir dispositions
sed 's/cotree cc/cotree cc -fcotree=trace/' "$COTREE_TOP/tests/runtime/dispositions.test.sh" >dispositions.sh
(cd dispositions && bash ../dispositions.sh) || { echo "dispositions, with traces: status $?" >&2; exit 1; }
ls dispositions/*-events >/dev/null
for test in signals endings storm; do
    mkdir $test
    (cd $test && bash "$COTREE_TOP/tests/runtime/$test.test.sh") ||
        { echo "$test, with traces: status $?" >&2; exit 1; }
    nm $test/dynamic >symbols
    grep -q ' cotree_trace_begin$' symbols || { echo "$test: without traces" >&2; exit 1; }
done
