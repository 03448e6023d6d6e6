#!/usr/bin/env bash
# A pool that is read while processes come and go: no report is called exact unless its counts are,
# and no run is lost at the end.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"

cat >prog.c <<'C'
int main(void)
{
    volatile int n = 0;
    for (int i = 0; i < 1000; i++)
        n++;
    return 0;
}
C
cotree cc -O1 -fcotree=edges,every-edge prog.c -o prog
export COTREE_FILE=pool.%m.cotree
./prog
(for i in $(seq 1 200); do ./prog; done) &
reports=0
while kill -0 $! 2>/dev/null; do
    cotree report --check-sets --format=json prog pool.*.cotree >json 2>err || { cat err; die "refused"; }
    # exact means: as many loops as runs, to the last one
    jq -e '.runs as $runs | .exact | not or
        ([$runs, $runs] == [($f.entries), ($f.blocks | map(.count) | max) / 1001])' \
        --argjson f "$(jq '.functions[] | select(.name == "main")' json)" json >verdict ||
        { cat json; die "called exact, but is not"; }
    reports=$((reports + 1))
done
wait
[ "$reports" -gt 0 ]
cotree report --check-sets --format=json prog pool.*.cotree >json
[ "$(jq -c '[.exact, .runs]' json)" = "[true,201]" ] || die "$(jq -c '[.exact, .runs, .why_not_exact]' json)"
