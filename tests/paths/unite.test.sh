#!/usr/bin/env bash
# Groups of paths watched by different builds: what runs of one input counted is taken once, inputs
# are summed, and the union is the full profile. Selectors that make no sense are one line; one of
# another graph is ignored with a line that names the function; 2^70 paths; damaged files.
set -eu
. "$COTREE_TOP/tests/lib/report.sh"

cat >prog.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#define TWO(x) if (bits & (1ull << (x))) sum += x; else sum ^= x;
#define TEN(x) TWO(x) TWO(x + 1) TWO(x + 2) TWO(x + 3) TWO(x + 4) TWO(x + 5) TWO(x + 6) TWO(x + 7) TWO(x + 8) TWO(x + 9)
__attribute__((noinline)) unsigned many(unsigned long long bits)
{
    unsigned sum = 0;
    TEN(0) TEN(10) TEN(20) TEN(30) TEN(40) TEN(50) TEN(0)
    return sum;
}
static __attribute__((noinline)) int inside(int i)
{
    return i % 5 ? i : -i;
}
__attribute__((noinline)) int few(int i)
{
    int n = inside(i) & 0;
    if (i % 2)
        n++;
    if (i % 3)
        n += 2;
    return n;
}
int main(int argc, char **argv)
{
    unsigned sum = 0;
    for (int i = 0; i < 20 * atoi(argv[argc - 1]); i++)
        sum += many((unsigned long long)i * 0x9E3779B97F4A7C15u) + (unsigned)few(i);
    printf("%u\n", sum);
    return 0;
}
C
# run PROGRAM INPUT: one file of it, named for its input
run() { COTREE_RUN=$2 COTREE_FILE="$PWD/$1.$2.cotree" "./$1" "$2" >>"out.$2"; }
# counts MERGED: entries, edges, and each path
counts() {
    "$cotree" report --format=json "$1" |
        jq -r '.functions[] | . as $f | "\(.name) entries \(.entries)",
            (.edges[] | "\($f.name) edge \(.id) \(.count)"),
        "\(.name) watched \(.paths_watched) of \(.path_total)",
            (.paths[] | "\($f.name) path \(.id) \(.count)")' | sort
}
"$cotree" cc -O2 -fcotree=paths prog.c -o full
for input in 5 9; do
    run full $input
    "$cotree" merge -q full full.$input.cotree -o full.$input
done
"$cotree" merge -q full full.5.cotree full.9.cotree -o full.both
counts full.both >expected
[ "$(grep -c '^many path' expected)" -gt 50 ] || die "hardly any path of many ran"
for g in 1 2 3 4; do
    "$cotree" cc -O2 -fcotree=paths -fcotree-paths=group:$g/4 prog.c -o g$g
    for input in 5 9; do
        run g$g $input
        "$cotree" merge -q g$g g$g.$input.cotree -o g$g.$input
    done
    "$cotree" merge -q g$g g$g.5.cotree g$g.9.cotree -o g$g.both
done
for input in 5 9; do [ "$(sort -u out.$input | wc -l)" = 1 ] || die "outputs differ"; done
# many has 2^70 paths, cut to 4096 at most, which no group watches alone
for g in 1 2 3 4; do counts g$g.both | grep '^many watched [1-9]' || :; done >watched
[ "$(wc -l <watched)" -ge 2 ] || die "many is not divided: $(cat watched)"
"$cotree" merge -q --unite g1.both g2.both g3.both g4.both -o united
counts united | diff expected - >differences || die "groups of the same inputs: $(head -n 5 differences)"
"$cotree" merge -q --unite g1.5 g2.5 g1.9 g3.5 g2.9 g4.5 g4.9 g3.9 -o united
counts united | diff expected - >differences || die "by input: $(head -n 5 differences)"
# twice the same is once; a part is a part
"$cotree" merge -q --unite g1.5 g1.5 g2.5 -o united
counts united >found
grep -v watched found | comm -23 - <(counts full.5) >wrong
[ ! -s wrong ] || die "counts that the full profile does not have: $(head -n 3 wrong)"
"$cotree" report --no-source united >out
grep -q 'are watched, of ' out || die "$(head -n 12 out)"
"$cotree" report --paths united >out
grep -q 'watched [0-9,]* of ' out || die "$(head -n 20 out)"
# what is united can be united again
"$cotree" merge -q --unite g1.5 g2.5 -o half.1
"$cotree" merge -q --unite g3.5 g4.5 -o half.2
"$cotree" merge -q --unite half.1 half.2 -o united
counts united | diff <(counts full.5) - >differences || die "halves: $(head -n 5 differences)"
# runs that are not the same, though they say so
COTREE_RUN=5 COTREE_FILE="$PWD/lie.cotree" ./g2 6 >/dev/null
"$cotree" merge -q g2 lie.cotree -o lie
"$cotree" merge -q --unite g1.5 lie -o united
[ "$("$cotree" report --format=json united | jq .exact)" = false ] || die "runs that differ are called exact"
refuses 1 "share some runs (COTREE_RUN=5), but not all" "$cotree" merge --unite g1.both g2.5 -o united
refuses 2 "" "$cotree" merge --unite g1.5 prog.c -o united
refuses 64 "nothing to unite" "$cotree" merge --unite -o united

# Paths that were cut short: no group tells which way they came, all together do.
cat >cut.c <<'C'
#include <stdlib.h>
__attribute__((noinline)) void maybe(int last)
{
    if (last)
        exit(0);
}
__attribute__((noinline)) int ways(int i, int last)
{
    int n = i & 1 ? 1 : 3;
    if (i & 2)
        n += 2;
    else
        n ^= 5;
    if (i & 4)
        n += 7;
    maybe(last);
    return n * 2;
}
int main(void)
{
    int n = 0;
    for (int i = 0; i < 40; i++)
        n += ways(i, i == 37);
    return n;
}
C
cut_short() {
    "$cotree" report --format=json "$1" |
        jq -c '.functions[] | [.name, (.paths | sort_by(.blocks)), .paths_unknown]'
}
"$cotree" cc -O2 -fcotree=paths cut.c -o full.cut
for g in 1 2 3; do "$cotree" cc -O2 -fcotree=paths -fcotree-paths=group:$g/3 cut.c -o cut$g; done
for program in full.cut cut1 cut2 cut3; do
    COTREE_RUN=cut COTREE_FILE="$PWD/$program.cotree" "./$program"
    "$cotree" merge -q $program $program.cotree -o $program.merged
done
for g in 1 2 3; do
    cut_short cut$g.merged | grep -q '"ways".*\[{"block":[0-9]*,"count":1}\]\]$' ||
        die "group $g tells the way: $(cut_short cut$g.merged)"
done
"$cotree" merge -q --unite cut1.merged cut2.merged cut3.merged -o united
cut_short full.cut.merged | grep -q '"ways".*"finished":false.*,\[\]\]$' || die "$(cut_short full.cut.merged)"
diff <(cut_short full.cut.merged) <(cut_short united) >differences ||
    die "paths that were cut short, of groups: $(cat differences)"

# Selectors that make no sense.
for bad in "many#" "many#x" "#3" "through:prog.c" "through:prog.c:0" "hot:prog" "hot:101%:full.5" "hot:9%:" \
    "uncovered:" "group:0/4" "group:5/4" "group:4"; do
    refuses 64 "-fcotree-paths=$bad: " "$cotree" cc -fcotree=paths "-fcotree-paths=$bad" -c prog.c
done
refuses 64 "all, pspp or compact" "$cotree" cc -fcotree=paths -fcotree-path-numbering=spp -c prog.c
refuses 64 "-fcotree=paths is missing" "$cotree" cc -fcotree-paths=many -c prog.c
refuses 64 "cannot read 'nowhere'" "$cotree" cc -fcotree=paths -fcotree-paths=uncovered:nowhere -c prog.c
! "$cotree" cc -fcotree=paths -fcotree-paths=uncovered:prog.c -c prog.c 2>err ||
    die "a source was taken for a profile"
grep -q "'prog.c': is not a file of cotree" err || die "$(cat err)"
"$cotree" cc -O2 prog.c -o edges && COTREE_FILE=edges.cotree ./edges 1 >/dev/null &&
    "$cotree" merge -q edges edges.cotree -o edges.merged
! "$cotree" cc -fcotree=paths -fcotree-paths=hot:5%:edges.merged -c prog.c 2>err ||
    die "a profile without paths was taken"
grep -q 'holds no path counts' err || die "$(cat err)"
! "$cotree" cc -fcotree=paths -fcotree-paths=group:1/2 -fcotree-paths=group:1/3 -c prog.c 2>err ||
    die "two numbers of groups"
grep -q 'another selector has' err || die "$(cat err)"
"$cotree" cc -fcotree=paths -fcotree-paths=few#4 -c prog.c -o few.o 2>err
grep -q "^cotree: 'few' has no path 4: its paths are 0 to 3$" err || die "$(cat err)"

# Another graph: nothing of it is hot, all of it is uncovered, and a line says so. What has not
# changed is as it was.
sed 's,n += 2;,if (i > 7) n++;,' prog.c >changed.c
for kind in hot:100% uncovered; do
    "$cotree" cc -O2 -fcotree=paths -fcotree-paths=$kind:full.both changed.c -o changed 2>err
    [ "$(wc -l <err)" = 1 ] || die "$kind: $(cat err)"
    grep -q "^cotree: 'few': its paths are others in 'full.both': " err || die "$(cat err)"
    COTREE_FILE="$PWD/changed.cotree" ./changed 9 >/dev/null
    "$cotree" merge -q changed changed.cotree -o changed.merged
    rm changed.cotree
    counts changed.merged >found
    case $kind in
    hot*) grep -q '^few watched 0 of ' found || die "$(grep watched found)" ;;
    *) grep -qE '^few watched ([0-9]+) of \1$' found || die "$(grep watched found)"
        ! grep -q '^many path' found ||
            die "what ran before is watched: $(grep '^many path' found | head -n 3)" ;;
    esac
done

# Damaged profiles: refused with a line, or, where only unchecked bytes changed, used; never a crash.
size=$(stat -c %s full.5)
for at in $(seq 0 $((size / 25 + 1)) $((size - 1))); do
    cp full.5 damaged
    printf '\377' | dd of=damaged bs=1 seek="$at" conv=notrunc 2>/dev/null
    got=0
    "$cotree" merge -q --unite damaged g1.9 -o united 2>err || got=$?
    [ $got -lt 64 ] || die "byte $at: status $got: $(cat err)"
    [ $got -eq 0 ] || [ "$(wc -l <err)" -eq 1 ] || die "byte $at: $(cat err)"
done

# A file without a run's name (COTREE_RUN) that is named twice, or through a link, counts once.
printf 'int main(void) { return 0; }\n' >once.c
"$cotree" cc once.c -o once && COTREE_FILE=once.cotree ./once
"$cotree" merge -q once once.cotree -o once.merged
ln -s once.merged link.merged
"$cotree" merge -q --unite once.merged once.merged link.merged -o united
[ "$("$cotree" report --format=json united | jq -c '[.runs, .functions[0].entries]')" = '[1,1]' ] ||
    die "a file that is named twice counts twice"
