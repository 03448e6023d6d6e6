#!/usr/bin/env bash
# A program with an instrumented library: one report over both, and JSON says which function is whose.
set -eu
. "$COTREE_TOP/tests/lib/report.sh"

echo 'int twice(int n) { return n ? 2 * n : 0; }' >twice.c
cat >prog.c <<'C'
int twice(int);
int main(void)
{
    int sum = 0;
    for (int i = 0; i < 10; i++)
        sum += twice(i);
    return sum != 90;
}
C
"$cotree" cc -O2 -fPIC -shared twice.c -o libtwice.so
"$cotree" cc -O2 prog.c -L. -ltwice -Wl,-rpath,"$PWD" -o prog
./prog
status 0 "$cotree" report ./prog prog.*.cotree
head -1 out | grep -qx './prog: 1 run, exact' || die "$(cat out err)"
grep -qx 'with libtwice.so' out || die "$(cat out)"
grep -Eq ' 10 +100%  twice +twice.c:1$' out || die "$(cat out)"
"$cotree" report ./prog prog.*.cotree --format=json >json
jq -e '.modules as $m | .functions[] | select(.name == "twice") | .entries == 10 and
    ($m[.module].path | endswith("/libtwice.so"))' json >/dev/null
jq -e '.modules as $m | .functions[] | select(.name == "main") | $m[.module].path == "./prog"' json >/dev/null
