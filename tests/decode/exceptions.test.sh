#!/usr/bin/env bash
# An exception thrown by code without counters, through frames of the very function it lands in:
# counts are exact.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"

echo 'void plain_throw() { throw 1; }' >plain.cc
"$clang"++ -c plain.cc 2>/dev/null || "clang++-$llvm" -c plain.cc
cat >prog.cc <<'C'
void plain_throw();
int handled;
__attribute__((noinline)) int f(int n, int catcher)
{
    if (n == catcher) {
        try {
            return f(n - 1, catcher) + 1;
        } catch (...) {
            handled++;
        }
        return 0;
    }
    if (n > 0)
        return f(n - 1, catcher) + 1;
    if (handled < 5)
        plain_throw();
    return 1;
}
int main(int argc, char **)
{
    handled = argc > 1 ? 9 : 0;
    for (int i = 1; i < 4; i++)
        f(i, i > 2 ? 2 : i);
    return 0;
}
C
for level in -O0 -O1 -O2 -O3; do
    cotree c++ $level -fcotree=edges,every-edge prog.cc plain.o -o prog
    rm -f ./*.cotree
    ./prog
    cotree report --check-sets --format=json prog prog.*.cotree >json 2>err ||
        { cat err; die "$level: undeclared differences"; }
    [ ! -s err ] || { cat err; die "$level: differences"; }
    [ "$(jq .exact json)" = true ] || die "$level: not exact: $(jq -r '.why_not_exact[]' json)"
    # every way out of a landing pad carries a counter
    cotree graph prog prog.*.cotree --function='f*' >graph
    awk '
        /^ .* block .*catches/ {
            pad = 1
            next
        }
        / block / { pad = 0 } pad && /->/ && !/\[[0-9]+\]/ { bad = 1 } END { exit bad }' graph ||
        { cat graph; die "$level: a landing pad without a counter"; }
    rm -f ./*.cotree
    ./prog quietly
    [ "$(cotree report --check-sets --format=json prog prog.*.cotree | jq .exact)" = true ] ||
        die "$level: no exception, but not exact"
done
