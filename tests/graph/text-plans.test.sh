#!/usr/bin/env bash
# `cotree graph --text`: graphs written by hand are planned, and what is wrong with them is said in one line.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
seeds=$COTREE_TOP/fuzz/corpus/graph_text

# Ball & Larus 1994, Figure 4: 62 for edges, 59 for blocks by edge counters, 124 by block counters.
out=$(cotree graph --text "$seeds/figure-4.txt")
costs=$(printf '%s\n' "$out" | awk 'NF == 3 && $2 ~ /^[0-9]+$/ { print $1 "=" $2 "/" $3 }' | tr '\n' ' ')
[ "$costs" = 'edges=6/62 blocks=5/59 figure-11=5/59 knuth=5/124 every-edge=14/195 every-block=8/189 balance=2/12 ' ] || die "$out"
has "$out" 'figure-4: 8 blocks, 14 edges, weights given'

# One placement in full: as many counters as the table says, each on one line.
out=$(cotree graph --text "$seeds/figure-4.txt" --placement=blocks)
[ "$(printf '%s\n' "$out" | grep -c '\[[0-9]\]$')" -eq 5 ] || die "$out"
hasnt "$out" 'knuth'

# Several graphs, from standard input; weights are guessed, dead ends and endless loops get virtual edges.
out=$(cotree graph --text - --placement=edges <"$seeds/several.txt")
has "$out" 'endless loop and a dead end: 4 blocks, 7 edges, weights guessed' '1 -> virtual' \
    'irreducible: 3 blocks, 6 edges, weights given'

# Graphviz reads what is drawn.
cotree graph --text "$seeds/figure-4.txt" --format=dot >figure.dot
dot -Tplain figure.dot | awk '$1 == "edge" { n++ } END { exit n != 14 }' || die 'dot sees other edges'
printf 'graph say "hi" \\ there\nblocks 1\n0 -> exit\n' | cotree graph --text - --format=dot |
    dot -Tplain >/dev/null
cotree graph --text "$seeds/figure-4.txt" --format=svg -o figure.svg
grep -q '<svg' figure.svg

# Weights that break Kirchhoff's law are used, and it is said.
out=$(printf 'graph x\nblocks 2\n0 -> 1 5\n1 -> exit 4\n' | cotree graph --text -)
has "$out" 'do not balance at block 1'

# Weights by a rule: plans by the guess, costs by the file's weights, and never below the best.
cost() { cotree graph --text "$@" | awk '$1 == "edges" { print $3 }'; }
[ "$(cost "$seeds/figure-4.txt" --weights=repaired)" -ge 62 ]
[ "$(cost "$seeds/figure-4.txt" --weights=paper,20,3)" -ge 62 ]
printf 'graph x\nblocks 2\n0 -> 1\n1 -> 0\n1 -> 1\n1 -> exit\n' >two-loops.txt
repaired=$(cotree graph --text two-loops.txt --placement=every-edge --weights=repaired)
paper=$(cotree graph --text two-loops.txt --placement=every-edge --weights=paper)
[ "$repaired" != "$paper" ] || die "$paper"
loop() {
    cotree graph --text "$seeds/endless.txt" "$@" --placement=every-edge |
        awk '$1 == 1 && $3 == 1 { print $4 }'
}
[ "$(loop)" = 9 ] || die "$(loop)"
[ "$(loop --weights=repaired,100)" = 99 ] || die "$(loop --weights=repaired,100)"
for value in best paper,0 repaired,x paper,2,3,4 repaired,1e9 papers; do
    refuses 64 'is repaired or paper' cotree graph --text two-loops.txt --weights="$value"
done
refuses 64 'needs --text' cotree graph /bin/true --weights=paper

# What is wrong: one line with file and line, nothing on standard output, status 2.
wrong() {
    printf "$1" >wrong.txt; refuses 2 "$2" cotree graph --text wrong.txt; [ \
        -z "$(cotree graph --text wrong.txt 2>/dev/null)" ]
}
wrong 'graph a\nblocks 1\n0 -> exit\ngraph b\nblocks 2\n0 -> 2\n' "'wrong.txt': line 6: expected a block"
wrong 'graph a\nblocks 3\n0 -> 1\n' "'wrong.txt': graph 'a': no path leads from block 0 to block 2"
wrong 'graph a\nblocks 16777216\n' 'no path leads from block 0 to block 1'
wrong '' "'wrong.txt': the file is empty"
wrong '# nothing\n' "'wrong.txt': line 1: expected 'graph NAME'"
wrong 'graph \033[31mred\nblocks 1\n' 'control character'
refuses 2 "cannot read 'none.txt': No such file" cotree graph --text none.txt
refuses 2 "cannot read '.': Is a directory" cotree graph --text .
refuses 64 "no such placement: 'best'" cotree graph --text wrong.txt --placement=best
if cotree graph --text "$seeds/figure-4.txt" >/dev/full 2>err; then die 'a full disk went unnoticed'; fi
has "$(cat err)" 'cannot write standard output: No space left'
