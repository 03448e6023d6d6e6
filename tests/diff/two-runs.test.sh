#!/usr/bin/env bash
# cotree diff of two runs of one build, in all the ways they can be named; what it says when it
# cannot; thresholds; hostile names.
set -eu
. "$COTREE_TOP/tests/lib/report.sh"

cat >prog.c <<'C'
#include <stdlib.h>
static int odd(int n) { return n & 1; }
static int never(int n) { return n - 7; }
int main(int argc, char **argv)
{
    int s = 0;
    for (int i = 0; i < atoi(argv[1]); i++)
        s += odd(i);
    if (argc > 2)
        abort();
    return argc > 3 ? never(s) : 0;
}
C
"$cotree" cc -O2 prog.c -o prog
COTREE_FILE=a.cotree ./prog 100
COTREE_FILE=b.cotree ./prog 40
COTREE_FILE=c.cotree ./prog 60
"$cotree" merge -q ./prog a.cotree -o a.profile
"$cotree" merge -q b.cotree ./prog -o b.profile
"$cotree" merge -q b.cotree c.cotree ./prog -o bc.profile

# One answer, however it is asked for.
entries() { jq -r '.functions[] | select(.name == "odd") | "\(.old.entries) \(.new.entries)"' out; }
for words in "./prog a.cotree b.cotree" "./prog a.cotree -- b.cotree" "./prog a.cotree -- ./prog b.cotree" \
    "./prog a.profile b.cotree" "a.profile -- ./prog b.cotree" "a.cotree ./prog b.cotree" \
    "a.cotree b.cotree ./prog" "a.cotree ./prog -- b.cotree" "a.cotree -- b.cotree ./prog" \
    "a.cotree b.profile ./prog"; do
    # shellcheck disable=SC2086
    status 0 "$cotree" diff --format=json $words
    [ "$(entries)" = "100 40" ] || die "$words: $(entries)"
    jq -e '.one_build and ([.functions[].match] | all(. == "same"))' out >/dev/null ||
        die "$words: not one build"
done
# Several files a side add up; options on either side of --.
status 0 "$cotree" diff ./prog a.cotree -- b.cotree c.cotree --format=json
[ "$(entries)" = "100 100" ]
jq -e '.new.runs == 2 and .old.runs == 1' out >/dev/null
status 0 "$cotree" diff a.profile bc.profile --format=json
[ "$(entries)" = "100 100" ]
# Nothing differs: nothing is listed.
status 0 "$cotree" diff a.profile a.profile
grep -q '^functions  0 of 3 differ$' out && [ "$(wc -l <out)" -eq 6 ] || die "$(cat out)"
# Never ran on either side: no difference; --top leaves out, and says so.
status 0 "$cotree" diff ./prog a.cotree b.cotree --top=1
grep -q 'never' out && die "a function that never ran"
grep -q '^1 more function differs; --top=N shows more$' out || die "$(cat out)"
status 0 "$cotree" diff ./prog a.cotree b.cotree --function=odd --no-source
[ "$(grep -c ' main ' out)" = 0 ] && grep -q ' odd ' out
for filter in --exclude-function=main "--function=main --function=odd --exclude-function=m*" \
    "--file=prog.c --exclude-function=main"; do
    # shellcheck disable=SC2086
    status 0 "$cotree" diff ./prog a.cotree b.cotree --format=json $filter
    names=$(jq -c '[.functions[].name] - ["never"]' out)
    [ "$names" = '["odd"]' ] || die "$filter: $names"
    jq -e '.lines | all(.line != 7)' out >/dev/null || die "$filter: lines of main"
done
# The threshold sees what is left: main ran less often, and so did all together.
status 0 "$cotree" diff ./prog a.cotree b.cotree --fail-above=0
status 3 "$cotree" diff ./prog b.cotree a.cotree --fail-above=0 --exclude-function=main
status 0 "$cotree" diff ./prog b.cotree a.cotree --fail-above=0 --exclude-function=main --exclude-function=odd
refuses 1 "nothing is left" "$cotree" diff ./prog a.cotree b.cotree --exclude-file=prog.c

# A side that is not exact is said to be.
COTREE_FILE=d.cotree ./prog 10 x 2>/dev/null || :
"$cotree" merge -q ./prog d.cotree -o d.profile
cp d.cotree e.cotree
status 0 "$cotree" diff a.profile d.profile
made m.cotree
status 0 "$cotree" diff m.cotree a.profile
grep -q '^old: /nowhere/shapes, build .*, 2 runs, not exact$' out && grep -q '^new: .* exact$' out ||
    die "$(cat out)"
grep -qP '[\x00-\x09\x0b-\x1f\x7f]' out && die "control characters"
status 0 "$cotree" diff m.cotree a.profile --format=json
jq -e '(.old.exact | not) and (.old.why_not_exact | length == 2 and .[1] == "resolver is not counted") and
    .new.exact' out >/dev/null
jq -e '.functions[] | select(.linkage_name | startswith("_ZNK5shape")) | (.old.exact | not) and
    .old.max_error == 1 and .new == null' out >/dev/null
jq -e '.functions[] | select(.name == "resolver") | .old.block_runs == null' out >/dev/null
iconv -f UTF-8 -t UTF-8 out >/dev/null
status 0 "$cotree" diff m.cotree m.cotree --color=always
grep -q $'\033\\[1mold' out

# Thresholds.
status 3 "$cotree" diff ./prog b.cotree a.cotree --fail-above=10
[ -s out ] && [ "$(wc -l <err)" -eq 1 ] && grep -q 'more than 10% above' err
status 0 "$cotree" diff ./prog b.cotree a.cotree --fail-above=1000%
status 0 "$cotree" diff ./prog a.cotree b.cotree --fail-above=0
status 0 "$cotree" diff ./prog a.cotree b.cotree -o file
[ -s file ] && [ ! -s out ]

# What it cannot do gets one line.
refuses 64 "two profiles are needed" "$cotree" diff a.profile
refuses 64 "two profiles are needed" "$cotree" diff ./prog a.cotree
refuses 64 "two profiles are needed" "$cotree" diff
refuses 64 "are programs, and one is wanted; to compare them: PROG DATA... -- PROG" \
    "$cotree" diff ./prog a.cotree ./prog b.cotree
refuses 64 "Put -- between" "$cotree" diff ./prog a.cotree b.cotree c.cotree
refuses 64 "nothing stands after --" "$cotree" diff ./prog a.cotree --
refuses 64 "unknown option" "$cotree" diff a.profile -- ./prog b.cotree --nonsense
refuses 64 "--top is" "$cotree" diff --top=0 a.profile bc.profile
refuses 64 "--fail-above is" "$cotree" diff --fail-above=x a.profile bc.profile
refuses 64 "--format is text, html or json, not 'lcov'" "$cotree" diff --format=lcov a.profile bc.profile
refuses 1 "nothing matches" "$cotree" diff --function=nobody a.profile bc.profile
status 2 "$cotree" diff ./prog a.cotree /dev/null
[ ! -s out ]
# One usable file of two: shown, and status 4.
status 4 "$cotree" diff ./prog a.cotree -- b.cotree /dev/null --format=json
[ "$(entries)" = "100 40" ]
