#!/usr/bin/env bash
# --fail-under-lines compares what was asked for, exits with 3 below it, and still shows the report.
set -eu
. "$COTREE_TOP/tests/lib/report.sh"
made m.cotree # 13 of 14 lines: 92.86 %

status 0 "$cotree" report m.cotree --fail-under-lines=92.8
status 3 "$cotree" report m.cotree --fail-under-lines=92.9
[ -s out ] && [ "$(wc -l <err)" -eq 1 ] && grep -q ' 92.85% of the lines ran, 92.9% were asked for' err
status 3 "$cotree" report m.cotree --fail-under-lines=92.9% --format=lcov -o info
[ -s info ]
status 0 "$cotree" report m.cotree --fail-under-lines=100 --function=shape::area
status 3 "$cotree" report m.cotree --fail-under-lines=100 --function=main
status 0 "$cotree" report m.cotree --fail-under-lines=0 --function=main
status 0 "$cotree" report m.cotree --fail-under-lines=100 --function=die # no lines: nothing is missing
# --top chooses what is shown, not what counts.
status 3 "$cotree" report m.cotree --fail-under-lines=92.9 --sort=entries --top=1
grep -q ' 92.85% of the lines ran, 92.9% were asked for' err
status 0 "$cotree" report m.cotree --fail-under-lines=92.8 --sort=coverage --top=1
