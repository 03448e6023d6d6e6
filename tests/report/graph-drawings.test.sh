#!/usr/bin/env bash
# A function's graph as text, for Graphviz, and drawn by it; without Graphviz one line says what to install.
set -eu
. "$COTREE_TOP/tests/lib/report.sh"
made m.cotree

status 0 "$cotree" graph m.cotree
[ "$(wc -l <out)" -eq 8 ]
status 0 "$cotree" graph m.cotree --function=shape::area
grep -q '^shape::area(int, std::pair<int, int>) const' out
grep -q -- '-> 1 *\[0\]$' out
status 0 "$cotree" graph m.cotree --function=main --format=dot
dot -Tplain out >plain
[ "$(grep -c '^edge' plain)" -eq 6 ] && [ "$(grep -c '^node' plain)" -eq 6 ]
status 0 "$cotree" graph m.cotree --function=jumps --format=dot
[ "$(grep -c 'style=dotted' out)" -eq 2 ]
status 0 "$cotree" graph m.cotree --function=main --format=svg -o main.svg
grep -q '</svg>' main.svg
status 0 "$cotree" graph m.cotree '--function=evil*' --format=svg
grep -q '</svg>' out
refuses 1 "Graphviz" env PATH=/nonexistent "$cotree" graph m.cotree --function=main --format=svg
refuses 1 "Graphviz" env PATH=/nonexistent "$cotree" graph m.cotree --function=main --format=svg -o other.svg
[ ! -e other.svg ]
# Graphs given as text take the same road to a file and to Graphviz.
printf 'graph g\nblocks 3\n0 -> 1\n0 -> 2\n1 -> 2\n2 -> exit\n' >g
status 0 "$cotree" graph --text g
status 0 "$cotree" graph --text g -o planned
[ ! -s out ] && "$cotree" graph --text - <g | cmp - planned
status 0 "$cotree" graph --text g --format=svg --placement=edges -o g.svg
grep -q '</svg>' g.svg
refuses 64 "no program" "$cotree" graph --text g m.cotree
