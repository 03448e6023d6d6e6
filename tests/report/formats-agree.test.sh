#!/usr/bin/env bash
# The sums of text, JSON and lcov are the same, as judged by jq, lcov and genhtml.
set -eu
. "$COTREE_TOP/tests/lib/report.sh"
made m.cotree
for line in $(seq 50); do echo "// $line"; done >shapes.c
options=(--file=shapes.c --source-map=/nowhere/src="$PWD")

"$cotree" report m.cotree "${options[@]}" >text
"$cotree" report m.cotree "${options[@]}" --format=json >json
"$cotree" report m.cotree "${options[@]}" --format=lcov >info
sum() { sed -nE "s/^$1 +[0-9.%]+ +([0-9]+) of ([0-9]+) .*/\1 \2/p" text; }

# lcov reads its own lines, not our sums.
lcov --rc lcov_branch_coverage=1 --summary info >summary 2>&1
theirs() { sed -nE "s/^ *$1\.*: .*\(([0-9]+) of ([0-9]+) .*/\1 \2/p" summary; }
for what in lines functions branches; do
    [ -n "$(sum $what)" ] && [ "$(sum $what)" = "$(theirs $what)" ] ||
        die "$what: $(sum $what), lcov says $(theirs $what)"
done
genhtml -q --branch-coverage info -o html >log 2>&1 || die "genhtml: $(cat log)"
grep -qi 'error\|warning' log && die "genhtml: $(cat log)"
[ -n "$(find html -name 'shapes.c.gcov.html')" ]

[ "$(jq -r '[.files[].lines[]] | "\(map(select(.count > 0)) | length) \(length)"' json)" = "$(sum lines)" ]
jq -e '.format == "cotree-profile" and .version == 2 and .runs == 2 and .exact == false and
    (.why_not_exact | length) > 0' json >/dev/null
# Flow is conserved, and a block's count is what flows in.
jq -e '.functions[] | select(.edges[0].count != null) | .edges as $e | .frames as $f | .blocks[]
    | select(.count < 9007199254740992) | . as $b
    | ([$e[] | select(.to == $b.id) | .count] | add) == $b.count and
      ([($e[] | select(.from == $b.id) | .count), ($f[] | select(.block == $b.id) | .left - .resumed)] |
          add) == $b.count' json >checks
jq -e '.functions[] | select(.edges[0].count != null) |
    .entries + .resumed == .unfinished + ([.edges[] | select(.kind == "exit" and (.virtual | not)) | .count] |
        add // 0)' json >>checks
grep -qv true checks && die "flow is not conserved"
# Nothing is lost to rounding: the largest count is there to its last digit.
grep -q '"count":9223372036854775807' json
# Whatever the names, JSON and UTF-8 are valid.
"$cotree" report m.cotree --format=json >all
jq -e '.functions | length == 7' all >/dev/null
iconv -f UTF-8 -t UTF-8 all >/dev/null
# lcov's format cannot say that counts are not exact: then stderr does.
status 0 "$cotree" report m.cotree --format=lcov
[ "$(wc -l <err)" -eq 1 ] && grep -q 'counts are not exact, which lcov cannot say: ' err
status 0 "$cotree" report m.cotree --format=json
[ ! -s err ]
