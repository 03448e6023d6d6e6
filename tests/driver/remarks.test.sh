#!/usr/bin/env bash
# Without -g there are source lines in the report but no remark and no debug section; the user's own
# -Rpass says what it always said.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
cat >loop.c <<'END'
static int add(int a, int b) { return a + b; }
int sum(const int *a, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s = add(s, a[i]);
    return s;
}
int main(void) { int a[] = {1, 2, 3}; return sum(a, 3) != 6; }
END
for level in -O0 -O2; do
    cotree cc $level -c loop.c 2>messages
    [ ! -s messages ] || { cat messages; die "there are messages"; }
    ! readelf -SW loop.o | grep -F .debug_ || die "debug sections at $level"
    cotree cc $level loop.c -o loop && leaves ./loop
    jq -e '.functions[] | select(.name == "sum") | .line == 2 and ([.blocks[].lines[].line] | index(6))' \
        report.json >/dev/null || die "no lines"
done
# -g0 is no -g, and -g is the user's: sections as in a plain build.
cotree cc -g -g0 -c loop.c && ! readelf -SW loop.o | grep -F .debug_
has "$(steps_of cotree cc -g -g0 -c loop.c)" lines=1
for g in -g -g1 -gline-tables-only -ggdb3 -gdwarf-4; do
    hasnt "$(steps_of cotree cc $g -c loop.c)" -Rpass lines=1
    cotree cc $g -c loop.c
    readelf -SW loop.o | grep -qF .debug_line || die "$g: no line table"
done

# The user's own remarks.
for flags in -Rpass=inline '-Rpass-missed=.*' -Rpass-analysis=loop-vectorize; do
    hasnt "$(steps_of cotree cc -O2 $flags -c loop.c)" '-Rpass=^' lines=1
done
$clang -O2 -Rpass=inline -c loop.c 2>plain
cotree cc -O2 -Rpass=inline -c loop.c 2>ours
grep -q "'add' inlined into 'sum'" plain
grep -q "'add' inlined into 'sum'" ours || { cat ours; die "-Rpass=inline is silent"; }
cotree cc -O2 -Rpass=inline loop.c -o loop 2>ours && leaves ./loop
jq -e '.functions[] | select(.name == "sum") | [.blocks[].lines[].line] | index(6)' report.json >/dev/null ||
    die "no lines with -Rpass"
