#!/usr/bin/env bash
# The paths of a small program are those that it says it took; --paths shows the hottest ones;
# merged files keep them.
set -eu
. "$COTREE_TOP/tests/lib/report.sh"

cat >prog.c <<'C'
#include <stdio.h>
int table[3];
__attribute__((noinline)) int pick(int i)
{
    int way = 0;
    if (i % 2)
        way += 1;
    if (i % 3)
        way += 2;
    return way;
}
int main(int argc, char **argv)
{
    int sum = 0;
    (void)argv;
    for (int i = 0; i < 600; i++)
        sum += pick(i) * argc;
    printf("%d\n", sum);
    return 0;
}
C
# lines_of FUNCTION: count and lines of its paths, most first
lines_of() {
    jq -r --arg f "$1" '.functions[] | select(.name == $f) | .paths | sort_by(-.count, .lines)[] |
        "\(.count): \(.lines | map(tostring) | join(" "))"' json
}
for flags in -O0 -O2 "-O2 -fPIC" "-O2 -g" "-O2 -flto -fuse-ld=lld" "-O1 -static"; do
    rm -rf data && mkdir data
    "$cotree" cc $flags -fcotree=paths prog.c -o prog
    COTREE_FILE="$PWD/data/%p.cotree" ./prog >out
    [ "$(cat out)" = 1100 ] || die "$flags: $(cat out)"
    "$cotree" report --format=json --check-sets prog data >json 2>err ||
        { cat err; die "$flags: the sets differ"; }
    [ ! -s err ] || die "$flags: $(cat err)"
    [ "$(jq .exact json)" = true ] || die "$flags: not exact"
    # 600 numbers: a third odd and not of three, and so on
    cat >expected <<'END'
200: 3 5 6 7 8 9 10
200: 3 5 6 8 9 10
100: 3 5 6 7 8 10
100: 3 5 6 8 10
END
    lines_of pick | sort >found
    sort expected | diff - found || die "$flags: other paths"
    [ "$(jq '.functions[] | select(.name == "pick") | .path_total' json)" = 4 ] ||
        die "$flags: pick has four paths"
    # the loop: in, 599 times round (600 back edges), out
    [ "$(jq -c '.functions[] | select(.name == "main") | [.paths[].count] | sort' json)" = "[1,1,599]" ] ||
        die "$flags: $(jq -c '.functions[] | select(.name == "main").paths' json)"
done

# Text: the hottest first, with lines of the source and counts.
"$cotree" report --paths --top=2 prog data >out
grep -q '^ *200 .*pick#[0-9]*: from its entry to its end$' out || die "$(cat out)"
grep -q '6 |     if (i % 2)$' out || die "$(cat out)"
[ "$(grep -c '#[0-9]*: from' out)" = 2 ] || die "--top=2: $(cat out)"
grep -q '^paths  *87.5%  7 of 8 ran, 1,201 times$' out || die "$(cat out)"

# Two runs merged: twice as much, and a merged file stands alone.
COTREE_FILE="$PWD/data/%p.cotree" ./prog >/dev/null
"$cotree" merge prog data -o merged 2>/dev/null
mv prog gone
"$cotree" report --format=json merged >json
[ "$(lines_of pick | head -n 1)" = "400: 3 5 6 7 8 9 10" ] || die "merged: $(lines_of pick)"
"$cotree" report --paths merged >out
grep -q '^ *400 .*pick#' out || die "$(cat out)"
mv gone prog

# Without path counts there is nothing to show.
"$cotree" cc prog.c -o plain
./plain >/dev/null
refuses 1 "no paths were counted" "$cotree" report --paths plain plain.*.cotree
refuses 64 "paths end at 'back', 'loops' or 'mixed'" "$cotree" cc -fcotree-path-ends=here -c prog.c
