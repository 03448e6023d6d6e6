#!/usr/bin/env bash
# --format=cobertura is valid by Cobertura's own DTD, as judged by xmllint, whatever the names; its
# lines are those of JSON, its sums those lcov finds.
set -eu
. "$COTREE_TOP/tests/lib/report.sh"

# Cobertura's coverage-04.dtd.
cat >coverage-04.dtd <<'D'
<!ELEMENT coverage (sources?,packages)>
<!ATTLIST coverage line-rate CDATA #REQUIRED>
<!ATTLIST coverage branch-rate CDATA #REQUIRED>
<!ATTLIST coverage lines-covered CDATA #REQUIRED>
<!ATTLIST coverage lines-valid CDATA #REQUIRED>
<!ATTLIST coverage branches-covered CDATA #REQUIRED>
<!ATTLIST coverage branches-valid CDATA #REQUIRED>
<!ATTLIST coverage complexity CDATA #REQUIRED>
<!ATTLIST coverage version CDATA #REQUIRED>
<!ATTLIST coverage timestamp CDATA #REQUIRED>
<!ELEMENT sources (source*)>
<!ELEMENT source (#PCDATA)>
<!ELEMENT packages (package*)>
<!ELEMENT package (classes)>
<!ATTLIST package name CDATA #REQUIRED>
<!ATTLIST package line-rate CDATA #REQUIRED>
<!ATTLIST package branch-rate CDATA #REQUIRED>
<!ATTLIST package complexity CDATA #REQUIRED>
<!ELEMENT classes (class*)>
<!ELEMENT class (methods,lines)>
<!ATTLIST class name CDATA #REQUIRED>
<!ATTLIST class filename CDATA #REQUIRED>
<!ATTLIST class line-rate CDATA #REQUIRED>
<!ATTLIST class branch-rate CDATA #REQUIRED>
<!ATTLIST class complexity CDATA #REQUIRED>
<!ELEMENT methods (method*)>
<!ELEMENT method (lines)>
<!ATTLIST method name CDATA #REQUIRED>
<!ATTLIST method signature CDATA #REQUIRED>
<!ATTLIST method line-rate CDATA #REQUIRED>
<!ATTLIST method branch-rate CDATA #REQUIRED>
<!ATTLIST method complexity CDATA #REQUIRED>
<!ELEMENT lines (line*)>
<!ELEMENT line (conditions*)>
<!ATTLIST line number CDATA #REQUIRED>
<!ATTLIST line hits CDATA #REQUIRED>
<!ATTLIST line branch CDATA "false">
<!ATTLIST line condition-coverage CDATA "100%">
<!ELEMENT conditions (condition*)>
<!ELEMENT condition EMPTY>
<!ATTLIST condition number CDATA #REQUIRED>
<!ATTLIST condition type CDATA #REQUIRED>
<!ATTLIST condition coverage CDATA #REQUIRED>
D
valid() { xmllint --nonet --noout --dtdvalid coverage-04.dtd "$1" >lint 2>&1 || die "$1: $(head -20 lint)"; }
ask() { xmllint --nonet --xpath "$2" "$1" 2>/dev/null; }

# A profile with hostile names; counts that are not exact are said to be so on stderr.
made m.cotree
status 0 "$cotree" report m.cotree --format=cobertura
grep -q 'counts are not exact, which cobertura cannot say' err
cp out hostile.xml
valid hostile.xml
[ "$(ask hostile.xml 'count(//method)')" -ge 5 ]

mkdir -p 'src/a&b' src/lib
cat >'src/a&b/<q">.cc' <<'C'
#include "../lib/both.h"
namespace { template <class T> bool less(T a, T b) { return a < b; } }
extern "C" void odd(int n) __asm__("odd<&\">\xef\xbf\xbfname");
static int ways[4];
void odd(int n)
{
    switch (n) {
    case 0: ways[0]++; break;
    case 1: ways[1]++; break;
    case 7: ways[2]++; break;
    default: ways[3]++;
    }
}
int main(int argc, char **)
{
    for (int i = 0; i < 20; i++)
        odd(half(i) % 3);
    if (argc > 1 && less(argc, 5)) odd(9);
    return less('a', 'b') && less(3, 2);
}
C
printf 'static inline int half(int n)\n{\n    return n / 2;\n}\n' >src/lib/both.h
"$cotree" c++ -O1 'src/a&b/<q">.cc' -o prog
./prog
"$cotree" report ./prog prog.*.cotree --format=json >json
"$cotree" report ./prog prog.*.cotree --format=lcov >info
"$cotree" report ./prog prog.*.cotree --format=cobertura -o prog.xml
valid prog.xml
# The file's name is what it is, relative to where we are.
[ "$(ask prog.xml 'string(//class[1]/@filename)')" = 'src/a&b/<q">.cc' ] || die "$(grep '<class' prog.xml)"
[ "$(ask prog.xml 'string(//source)')" = "$PWD" ]
[ "$(ask prog.xml 'count(//package)')" = 2 ]
ask prog.xml '//method/@name' | grep -q 'odd&lt;&amp;&quot;\(>\|&gt;\)?name' ||
    die "$(grep '<method' prog.xml)"
[ "$(ask prog.xml 'string(//method[contains(@name, "less<char>")]/@signature)')" = '(char, char)' ]

# Every line and its count, as JSON has them.
for file in 'src/a&b/<q">.cc' src/lib/both.h; do
    jq -r --arg file "$PWD/$file" \
        '.files[] | select((.file | sub("/[^/]*/\\.\\./"; "/")) == $file) | .lines[] | "\(.line) \(.count)"' \
        json >expected
    [ -s expected ]
    base=$(basename "$file" | sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g; s/"/\&quot;/g') awk '
        /<class /     { on = index($0, "name=\"" ENVIRON["base"] "\"") > 0 }
        /<methods>/   { method = 1 } /<\/methods>/ { method = 0 }
        on && !method && /<line / { match($0, /number="[0-9]+"/); n = substr($0, RSTART + 8, RLENGTH - 9)
                                     match($0, /hits="[0-9]+"/);
                                         print n, substr($0, RSTART + 6, RLENGTH - 7) }' prog.xml >lines
    diff expected lines || die "$file: lines differ"
done
# The instances of a template are two methods here, whose lines add up to those of the file.
line=$(grep -n 'bool less' 'src/a&b/<q">.cc' | cut -d: -f1)
[ "$(ask prog.xml "sum(//method//line[@number='$line']/@hits)")" = \
    "$(ask prog.xml "sum(//class/lines/line[@number='$line']/@hits)")" ]

# The sums, as lcov finds them in its own format.
lcov --rc lcov_branch_coverage=1 --summary info >summary 2>&1
theirs() { sed -nE "s/^ *$1\.*: .*\(([0-9]+) of ([0-9]+) .*/\1 \2/p" summary; }
[ "$(ask prog.xml 'concat(/coverage/@lines-covered, " ", /coverage/@lines-valid)')" = "$(theirs lines)" ] ||
    die "lines: $(theirs lines)"
[ "$(ask prog.xml 'concat(/coverage/@branches-covered, " ", /coverage/@branches-valid)')" = \
    "$(theirs branches)" ] || die "branches: $(theirs branches)"
# The branch the reader works out by hand: four ways of the switch, three of them taken.
line=$(grep -n 'switch' 'src/a&b/<q">.cc' | cut -d: -f1)
[ "$(ask prog.xml "string(//class/lines/line[@number='$line']/@condition-coverage)")" = '75% (3/4)' ] ||
    die "$(grep "number=\"$line\"" prog.xml)"
[ "$(ask prog.xml "string(//class/lines/line[@number='$line']//condition/@type)")" = switch ]

# The same words at the same time give the same bytes.
SOURCE_DATE_EPOCH=1 "$cotree" report ./prog prog.*.cotree --format=cobertura >a
SOURCE_DATE_EPOCH=1 "$cotree" report ./prog prog.*.cotree --format=cobertura >b
cmp a b
[ "$(ask a 'string(/coverage/@timestamp)')" = 1000 ]
