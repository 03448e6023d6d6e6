#!/usr/bin/env bash
# --fail-under-lines compares what was asked for, exits with 3 below it, and still shows the report.
set -eu
. "$COTREE_TOP/tests/lib/report.sh"
made m.cotree # 11 of 12 lines: 91.67 %

status 0 "$cotree" report m.cotree --fail-under-lines=91.6
status 3 "$cotree" report m.cotree --fail-under-lines=91.7
[ -s out ] && [ "$(wc -l <err)" -eq 1 ] && grep -q ' 91.66% of the lines ran, 91.7% were asked for' err
status 3 "$cotree" report m.cotree --fail-under-lines=91.7% --format=lcov -o info
[ -s info ]
status 0 "$cotree" report m.cotree --fail-under-lines=100 --function=shape::area
status 3 "$cotree" report m.cotree --fail-under-lines=100 --function=main
status 0 "$cotree" report m.cotree --fail-under-lines=0 --function=main
status 0 "$cotree" report m.cotree --fail-under-lines=100 --function=die # no lines: nothing is missing
