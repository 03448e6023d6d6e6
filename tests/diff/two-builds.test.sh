#!/usr/bin/env bash
# cotree diff of two builds: functions find each other by name and graph, lines by position wherever
# they have moved; counts are those a reader works out by hand, and those of the two reports.
set -eu
. "$COTREE_TOP/tests/lib/report.sh"

mkdir old new
cat >old/prog.c <<'C'
#include <stdlib.h>
int part(int n);
static int twin(int n)
{
    return n + 1;
}
static int gone(int n) { return n * 7; }
static int steps(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        if (i & 1)
            s += i;
    }
    return s;
}
static int changed(int n) { if (n > 3) return n; return 3; }
int main(int argc, char **argv)
{
    int s = gone(2) + changed(5);
    for (int i = 0; i < atoi(argv[1]); i++)
        s += steps(4) + twin(i);
    return part(s + argc) == 0;
}
C
cat >old/part.c <<'C'
static int twin(int n)
{
    return n - 1;
}
int part(int n) { return twin(n) + twin(n + 1) + 5; }
C
# New: 3 lines above everything, `gone` is gone, `added` is there, `changed` has another graph, and
# main calls `steps` with 8.
cp old/part.c new/
# A third function of the name, in a file that comes before the others, and is not called.
printf 'static int twin(int n)\n{\n    return n * 2;\n}\nint first(int n) { return twin(n); }\n' \
    >new/a_first.c
touch old/a_first.c
{ printf '\n\n\n'; sed -e '/gone(int n)/s/.*/static int added(int n) { return n * 9; }/' \
    -e 's/gone(2)/added(2)/' -e 's/(n > 3) return n;/(n > 3) return n; if (n < 0) return 0;/' \
    -e 's/steps(4)/steps(8)/' old/prog.c; } >new/prog.c
for side in old new; do
    (cd $side && "$cotree" cc -O1 prog.c part.c a_first.c -o prog && ./prog 10 &&
        "$cotree" merge -q ./prog prog.*.cotree -o ../$side.profile)
done
status 0 "$cotree" diff old.profile new.profile --format=json
mv out json
[ ! -s err ] || die "chatter: $(cat err)"
jq -e '.format == "cotree-diff" and .version == 2 and (.one_build | not) and .old.exact and .new.exact and
    .old.runs == 1 and .old.build_id != .new.build_id' json >/dev/null

# name, match, entries before and now, as worked out by hand. Blocks of steps(4): 1 + 5 conditions +
# 4 ifs + 2 sums + 4 ends of them + 4 steps + 1.
jq -r '.functions[] | "\(.name) \(.match) \(.old.entries) \(.new.entries)"' json | sort >found
sort >expected <<'E'
added only_new null 1
changed changed 1 1
first only_new null 0
gone only_old 1 null
main same 1 1
part same 1 1
steps same 10 10
twin same 10 10
twin same 2 2
twin only_new null 0
E
diff expected found || die "functions differ"
# Static functions of one name found their own file.
jq -e '[.functions[] | select(.name == "twin" and .old) | .old.file[-6:] == .new.file[-6:]] | all and
    length == 2' json >/dev/null || die "twins were mixed up"
# Lines, old and new: all three lower down; the loop ran twice as often.
jq -r '.lines[] | select(.new.line >= 11 and .new.line <= 18 and (.file | endswith("new/prog.c"))) |
    "\(.old.line) \(.old.count) \(.new.line) \(.new.count)"' json | sort -n >found
cat >expected <<'E'
8 10 11 10
10 10 13 10
11 50 14 90
12 40 15 80
13 20 16 40
14 40 17 80
15 10 18 10
E
diff <(sort -n expected) found || die "lines differ"
# Everything there is the two reports' own.
for side in old new; do
    "$cotree" report $side.profile --format=json >$side.json
    jq -r --slurpfile report $side.json --arg side $side '
        ($report[0].functions |
            map({key: (.linkage_name + (.file[-6:])), value: "\(.entries) \([.blocks[].count] | add)"}) |
            from_entries) as $is
        | .functions[] | select(.[$side]) | . as $f | .[$side] |
            select("\(.entries) \(.block_runs)" != $is[$f.linkage_name + .file[-6:]]) | $f.name' json >wrong
    [ ! -s wrong ] || die "$side: counts of $(cat wrong)"
    jq -e --arg side $side --slurpfile report $side.json \
        '.[$side + "_block_runs"] == ([$report[0].functions[].blocks[].count] | add)' json >/dev/null ||
        die "the sum of $side"
done

# The text names the same things.
status 0 "$cotree" diff old.profile new.profile
grep -q '^functions  3 of 10 differ; 1 with another graph; 1 only in old; 3 only in new$' out ||
    die "$(cat out)"
grep -Eq '^ +210 +390 +\+180 +\+85.7%  steps .*new/prog.c:11$' out || die "$(cat out)"
grep -Eq '^ +50 +90 +\+40 +\+80.0%  .*new/prog.c:14 \(was 11\) +\| for \(int i = 0; i < n; i\+\+\) \{$' out ||
    die "$(cat out)"
grep -Eq ' gone .*\(only in old\)$' out || die "$(cat out)"
grep -q 'two builds' out
