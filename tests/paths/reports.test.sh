#!/usr/bin/env bash
# What is said of paths: how few make most of what ran, neighbours that never ran, thresholds,
# differences of two runs, flame graphs; and every format of an edge profile is the same from a path
# profile.
set -eu
. "$COTREE_TOP/tests/lib/report.sh"

cat >prog.c <<'C'
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) int pick(unsigned i)
{
    int way = 0;
    if (i & 1)
        way += 1;
    if (i & 2)
        way += 2;
    if (i & 4)
        way += 4;
    return way;
}
int main(int argc, char **argv)
{
    int sum = 0;
    for (int a = 1; a + 1 < argc; a += 2)
        for (int i = 0; i < atoi(argv[a + 1]); i++)
            sum += pick((unsigned)atoi(argv[a]));
    printf("%d\n", sum);
    return 0;
}
C
# run NAME WAY COUNT...: data in NAME, json in NAME.json
run() {
    local name=$1
    shift
    rm -rf "$name" && mkdir "$name"
    COTREE_FILE="$PWD/$name/%p.cotree" ./prog "$@" >/dev/null
    "$cotree" report --format=json --neighbours ./prog "$name" >"$name.json"
}
pick() { jq -c ".functions[] | select(.name == \"pick\") | $2" "$1.json"; }

"$cotree" cc -O2 -fcotree=paths prog.c -o prog
run one 0 1000
run all 0 1000 1 500 2 250 3 10 4 5 5 4 6 3 7 2

# How few: of 1774 executions of pick, 1000 are the first half, and so on; beside them main's.
jq -r '[50, 90, 99][] as $part | [.functions[].paths[].count] | sort | reverse | add as $all |
    [foreach .[] as $n (0; . + $n; .)] | map(select(. * 100 < $all * $part)) | length + 1' all.json |
    tr '\n' ' ' >expected
status 0 "$cotree" report --paths prog all
sed -n 's/^of all executions *//p' out | tr -s ' ' '\n' | tr '\n' ' ' >found
diff expected found || die "how few: $(cat out)"
jq -r '[50, 90, 99][] as $part | [.functions[] | select(.name == "pick").paths[].count] | sort | reverse |
    add as $all |
    [foreach .[] as $n (0; . + $n; .)] | map(select(. * 100 < $all * $part)) | length + 1' all.json |
    tr '\n' ' ' >expected
awk '$9 == "pick" || $8 == "pick" { print $5, $6, $7 " " }' out | head -n 1 | tr '\n' ' ' | tr -s ' ' >found
diff expected found || die "how few of pick: $(cat out)"
grep -q '^paths  .* of .* ran, ' out || die "$(cat out)"
status 0 "$cotree" report --no-source prog all
grep -q '^paths  .* of .* ran, ' out || die "the first screen has no paths: $(cat out)"
status 0 "$cotree" report --paths --color=always prog all
grep -q "$(printf '\033')" out || die "no colour"
status 0 "$cotree" report --paths prog all
! grep -q "$(printf '\033')" out || die "colour without a terminal"

# Neighbours: with way 0 alone there are three, and they are the paths that ways 1, 2 and 4 take.
# Each leaves the blocks of the hot path once.
pick one '.paths | map(.neighbours | map(.id)) | add | sort' >expected
jq -c '(.functions[] | select(.name == "pick").paths) | sort_by(.count) | reverse | map(.blocks) as $blocks |
    . as $paths | $blocks[0] as $hot |
    [range(1; length) | select(($blocks[.] - $hot | length) == 1 and ($hot - $blocks[.] | length) == 0) |
        $paths[.].id] | sort' all.json >found
diff expected found || die "neighbours: $(cat expected), and one branch away are $(cat found)"
[ "$(pick one '.paths | length')" = 1 ] || die "way 0 is one path: $(pick one .paths)"
[ "$(pick one '.paths[0].neighbours | length')" = 3 ] || die "three neighbours: $(pick one .paths)"
[ "$(pick all '[.paths[].neighbours[]]')" = "[]" ] || die "all ran, but: $(pick all .paths)"
status 0 "$cotree" report --paths --neighbours --function=pick prog one
[ "$(grep -c 'never ran: pick#[0-9]*, from line .* to line .* instead of line ' out)" = 3 ] ||
    die "$(cat out)"
jq -e '[.functions[].paths[]? | select(.finished != true)] == []' all.json >/dev/null ||
    die "paths that ended are finished"

# Thresholds: of pick's eight paths one ran.
status 0 "$cotree" report --function=pick --fail-under-paths=12.5 prog one
status 3 "$cotree" report --function=pick --fail-under-paths=12.6 prog one
grep -q '^cotree report: 12.50% of the paths ran, 12.6% were asked for$' err || die "$(cat err)"
status 0 "$cotree" report --function=pick --fail-under-paths=100 prog all
# Those of main, too, whatever --top shows.
status 3 "$cotree" report --fail-under-paths=100 prog all
cp err whole.err
for shown in --top=1 "--sort=entries --top=1" "--paths --top=1"; do
    # shellcheck disable=SC2086
    status 3 "$cotree" report $shown --fail-under-paths=100 prog all
    diff err whole.err || die "$shown"
done
refuses 64 "fail-under-paths" "$cotree" report --fail-under-paths=many prog all

# Differences: id by id what jq subtracts.
status 0 "$cotree" diff --paths --format=json prog one all
jq -c '[.paths[] | [.name, .id, .old, .new]] | sort' out >found
jq -c -s '[.[] | [.functions[] | .name as $f | .paths[] | {key: "\($f) \(.id)", value: .count}] |
    from_entries] | . as [$old, $new] | ($old + $new | keys) |
    [.[] | select($old[.] != $new[.]) | . as $k | split(" ") + [$old[$k] // 0, $new[$k] // 0] |
        .[1] |= tonumber] | sort' one.json all.json >expected
diff expected found || die "other differences of paths"
[ "$(jq length found)" -gt 6 ] || die "hardly any difference: $(cat found)"
status 0 "$cotree" diff --paths --top=3 prog one all
grep -q ' new *pick#[0-9]* from its entry to its end, lines 3 ' out || die "$(cat out)"

# Flame graphs: frames and a count a line; what a function's paths did is what its blocks did.
status 0 "$cotree" report --format=folded prog all
! grep -vE '^[^;]+;#[0-9]+ lines [0-9,]+ [0-9]+$' out || die "not folded stacks: $(cat out)"
sed -E 's/;.* / /' out | awk '{ sum[$1] += $2 } END { for (f in sum) print f, sum[f] }' | sort >found
jq -r '.functions[] | "\(.name) \([.blocks[].count] | add)"' all.json | sort >expected
diff expected found || die "flame graph and block runs differ"

# Every format of an edge profile, from a path profile: the same text.
mkdir edges paths
for set in edges paths; do
    (cd "$set" && "$cotree" cc -O2 -fcotree=$set -c "$OLDPWD/prog.c" -o prog.o &&
        "$cotree" cc prog.o -o prog && COTREE_FILE=data.cotree ./prog 0 10 3 20 7 1 >/dev/null)
    for format in lcov cobertura callgrind llvm-samples text; do
        (cd "$set" && "$cotree" report --format=$format prog data.cotree) |
            grep -vE 'build |^creator|^paths ' |
            sed "s/timestamp=\"[0-9]*\"//; s,<source>[^<]*,," >"$set.$format"
    done
    (cd "$set" && "$cotree" report --format=json prog data.cotree) |
        jq 'del(.build_id, .modules, .mode) |
            .functions[] |= del(.paths, .path_total, .paths_watched, .path_numbering, .paths_cut_at,
            .paths_unknown, .probes)' >"$set.json"
done
for format in lcov cobertura callgrind llvm-samples text json; do
    diff "edges.$format" "paths.$format" >differences ||
        die "$format of a path profile is another: $(head -n 5 differences)"
    [ "$(wc -l <"edges.$format")" -gt 5 ] || die "$format is empty"
done
cd edges
status 0 "$cotree" report --format=folded prog data.cotree
! grep -vE '^[^;]+;prog\.c:[0-9]+ [0-9]+$' out || die "folded without paths: $(cat out)"
# What comes behind the inner loop has no line: it is shown where it goes on, line 17 (4 questions,
# 3 steps, 3 ends of the inner loop), and counts for no line.
[ "$(awk '$1 == "main;prog.c:17" { n += $2 } END { print n }' out)" = 10 ] ||
    die "a block without a line: $(cat out)"
jq -e '[.functions[] | select(.name == "main").blocks[] | select(.lines == []).count] == [3]' \
    <("$cotree" report --format=json prog data.cotree) >/dev/null || die "no block without a line"
status 0 "$cotree" report --format=callgrind prog data.cotree
[ "$(sed -n '/^fn=.*main/,$ s/^17 //p' out)" = "4 10" ] || die "line 17: $(cat out)"
[ "$(sed -n '/^fn=.*main/,$p' out | grep -xA 1 'jcnd=3/34 17' | tail -n 1)" = 18 ] ||
    die "the end of the inner loop: $(cat out)"
refuses 1 "no paths were counted" "$cotree" diff --paths prog data.cotree data.cotree
refuses 1 "no paths were counted" "$cotree" report --fail-under-paths=1 prog data.cotree

# Paths that did not end: each run was left once, by a way of its own. Merged in any order, and
# again, they are still told apart; without what files say of ways they are not.
cat >cut.c <<'C'
#include <stdlib.h>
__attribute__((noinline)) int deep(int n)
{
    if (n > 3)
        exit(0);
    return n;
}
int main(int argc, char **argv)
{
    int sum = 0;
    for (int i = atoi(argv[1]);; i++) {
        if (i & 1)
            sum += 2;
        if (i & 2)
            sum += 3;
        sum += deep(i);
        sum ^= 1;
    }
}
C
"$cotree" cc -O1 -fcotree=paths cut.c -o cut
COTREE_FILE=cut-a.cotree ./cut 1 # ends with 4: neither
COTREE_FILE=cut-b.cotree ./cut 7 # both, at once
ways() {
    "$cotree" report --format=json "$@" |
        jq -c '.functions[] | select(.name == "main") |
            [.paths_unknown, ([.paths[] | select(.finished | not) | [.count, .from_entry, .lines]] | sort)]'
}
[ "$(ways cut cut-a.cotree)" = '[[],[[1,false,[12,14,16]]]]' ] ||
    die "the first run: $(ways cut cut-a.cotree)"
[ "$(ways cut cut-b.cotree)" = '[[],[[1,true,[8,10,11,12,13,14,15,16]]]]' ] ||
    die "the second run: $(ways cut cut-b.cotree)"
both='[[],[[1,false,[12,14,16]],[1,true,[8,10,11,12,13,14,15,16]]]]'
[ "$(ways cut cut-a.cotree cut-b.cotree)" = "$both" ] ||
    die "both runs: $(ways cut cut-a.cotree cut-b.cotree)"
"$cotree" merge -q cut cut-a.cotree cut-b.cotree -o both
"$cotree" merge -q cut cut-b.cotree cut-a.cotree -o both-2
cmp both both-2
[ "$(ways both)" = "$both" ] || die "merged: $(ways both)"
"$cotree" merge -q cut cut-a.cotree -o only-a && "$cotree" merge -q cut cut-b.cotree -o only-b &&
    "$cotree" merge -q only-a only-b -o both-3
cmp both both-3
status 0 "$cotree" report --paths both
grep -q 'main, unfinished: from its entry to line 16$' out &&
    grep -q 'main, unfinished: from line 12 to line 16$' out || die "$(cat out)"
status 0 "$cotree" report --format=folded both
grep -q '^main;unfinished lines 8,10,11,12,13,14,15,16 [0-9]*$' out || die "$(cat out)"
status 0 "$cotree" diff --paths --format=json only-a only-b
[ "$(jq -c '[.paths[] | select(.finished | not) | [.id, .old, .new]] | sort' out)" = \
    '[[null,0,1],[null,1,0]]' ] || die "differences: $(jq -c .paths out)"
