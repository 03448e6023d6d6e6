#!/usr/bin/env bash
# --format=callgrind is accepted by callgrind_annotate without a word, which finds the counts that
# JSON has: of lines, functions and calls. Jumps are the edges.
set -eu
. "$COTREE_TOP/tests/lib/report.sh"

# Each line names itself, so that it is found in what callgrind_annotate prints.
awk '{ printf "%s // L%d.\n", $0, NR }' >prog.cc <<'C'
#include <stdio.h>
#include "inside.h"
namespace {
int odd(int n)
{
    if (n % 2)
        return 1;
    return 0;
}
struct Counter {
    int sum = 0;
    void operator()(int n) { sum += n; }
};
}
int never(int n) { return n * 3; }
int main(int argc, char **)
{
    Counter count;
    for (int i = 0; i < 1000; i++) {
        if (odd(i))
            count(i);
    }
    int rest = argc > 5 ? never(argc) : 4;
#include "body.inc"
    printf("%d %d\n", count.sum, rest);
    return 0;
}
C
awk '{ printf "%s // I%d.\n", $0, NR }' >inside.h <<'C'
static inline int twice(int n)
{
    return n > 500 ? 2 : n + n;
}
C
awk '{ printf "%s // B%d.\n", $0, NR }' >body.inc <<'C'
    for (int i = 0; i < 30; i++)
        rest += twice(i * 100);
C
"$cotree" c++ -O1 prog.cc -o prog
./prog >/dev/null
"$cotree" report ./prog prog.*.cotree --format=json >json
status 0 "$cotree" report ./prog prog.*.cotree --format=callgrind -o prog.callgrind
[ ! -s err ]
status 0 callgrind_annotate --auto=yes --context=8 --threshold=100 prog.callgrind
grep -i 'malformed\|warning\|error' out err && die "callgrind_annotate complains"
mv out annotated

# Lines: "count (share) blocks (share) text" for every line that ran.
numbers() {
    sed -nE "s/^ *([0-9,]+) \([ 0-9.]+%\) .*\/\/ $1([0-9]+)\.\$/\2 \1/p" annotated | tr -d , | sort -n
}
for pair in L:prog.cc I:inside.h B:body.inc; do
    jq -r --arg file "$PWD/${pair#*:}" \
        '.files[] | select(.file == $file) | .lines[] | select(.count > 0) | "\(.line) \(.count)"' json |
        sort -n >expected
    [ -s expected ] || die "no lines of ${pair#*:}"
    numbers "${pair%%:*}" >found
    diff expected found || die "${pair#*:}: lines differ"
done
# Functions: block runs, added up over the files they lie in.
status 0 callgrind_annotate --auto=no --show=Blocks --sort=Blocks --threshold=100 prog.callgrind
sed -nE 's/^ *([0-9,]+) \([ 0-9.]+%\) +[^:]*:(.*[^]])( \[.*\])?$/\1 \2/p' out |
    sed -E ':a; s/^([0-9]*),/\1/; ta' |
    awk '{ n = $1; sub(/^[0-9]+ /, ""); s[$0] += n } END { for (f in s) print f, s[f] }' | sort >found
jq -r '.functions[] | select(([.blocks[].count] | add) > 0) | "\(.name) \([.blocks[].count] | add)"' json |
    sort >expected
diff expected found || die "functions differ"
grep -q '^(anonymous namespace)::Counter::operator()(int) 500$' found ||
    die "names that begin with a bracket: $(cat found)"
# How often functions were entered: calls, and main's start.
status 0 callgrind_annotate --auto=no --show=Calls --sort=Calls --threshold=100 prog.callgrind
sed -nE 's/^ *([0-9,]+) \([ 0-9.]+%\) +[^:]*:(.*[^]])( \[.*\])?$/\1 \2/p' out |
    sed -E ':a; s/^([0-9]*),/\1/; ta' | awk '{ n = $1; sub(/^[0-9]+ /, ""); print $0, n }' | sort >found
jq -r '.functions[] | select(.entries > 0) | "\(.name) \(.entries)"' json | sort >expected
diff expected found || die "entries differ"
grep -qx '(anonymous namespace)::odd(int) 1000' found || die "$(cat found)"
# Calls, with their number, which is also what they cost: KCachegrind shows no call without a cost.
status 0 callgrind_annotate --auto=no --tree=calling --threshold=100 prog.callgrind
grep -Eq '> .*:\(anonymous namespace\)::odd\(int\) \(1,000x\)' out || die "$(cat out)"
grep -Eq '> .*:\(anonymous namespace\)::Counter::operator\(\)\(int\) \(500x\)' out || die "$(cat out)"
grep -Eq '> .*inside.h:twice\(int\) \(30x\)' out || die "$(cat out)"
grep -q 'never' out && die "a call that never happened"
awk -F'[= ]' '/^calls=/ { n = $2; getline; if (NF != 4 || $4 != n) exit 1; seen++ } END { exit seen < 3 }' \
    prog.callgrind || die "calls cost something else"

# Jumps: from the last line of a block to the first of the next (if that has none, but one way, to
# where it goes), with the counts of the edges; conditional where there are several ways.
awk -F'[= /]' '/^jcnd=/ { n = $2; of = $3; to = $4; getline; print $0, to, n, of }
    /^jump=/ { n = $2; to = $3; getline; print $0, to, n, "-" }' prog.callgrind | sort >found
jq -r 'def place($f; $b): [$f.edges[] | select(.from == $b and (.virtual | not))] as $ways
        | if $f.blocks[$b].lines != [] then $f.blocks[$b].lines[0].line elif ($ways | length) == 1 and
            $ways[0].kind == "flow" then place($f; $ways[0].to) else null end;
    .functions[] | . as $f | .edges[] | select(.kind == "flow" and .count > 0) | . as $e
    | ($f.blocks[$e.from].lines[-1].line) as $from | place($f; $e.to) as $to | select($from and $to)
    | ([$f.edges[] | select(.from == $e.from and (.virtual | not))] | length > 1) as $conditional
    | "\($from) \($to) \($e.count) \(if $conditional then $f.blocks[$e.from].count else "-" end)"' json |
        sort >expected
[ "$(grep -vc -- '-$' expected)" -ge 6 ] || die "$(cat expected)"
diff expected found || die "jumps differ"

# Hostile names, and a profile that is not exact, which the description says.
made m.cotree
status 0 "$cotree" report m.cotree --format=callgrind
grep -q 'counts are not exact, which callgrind cannot say' err
mv out hostile
status 0 callgrind_annotate --threshold=100 hostile
grep -i 'malformed\|warning' out err && die "callgrind_annotate complains of hostile names"
grep -qF 'evil?[31m,"q"\?' out || die "$(cat out)"
grep -q '^desc: Not exact: ' hostile
# Only what was asked for.
"$cotree" report ./prog prog.*.cotree --format=callgrind --function='*odd*' >one
[ "$(grep -c '^fn=' one)" = 1 ]
"$cotree" report ./prog prog.*.cotree --format=callgrind --file=inside.h >one
grep -q 'prog.cc' one && grep -E '^(fl|fi)=.*prog.cc' one && die "another file"
exit 0
