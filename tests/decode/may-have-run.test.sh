#!/usr/bin/env bash
# A function that a signal ended in the clean-up of an exception: wherever it stood there, what ran is
# not said never to have run. The caller is exact; that it called is known from its counters.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
cat >prog.cc <<'C'
volatile int sum;
struct guard {
    __attribute__((always_inline)) ~guard()
    {
        sum = sum - 1;
        if (sum & 1)
            sum = sum + 2;
    }
};
__attribute__((noinline)) int thrower(int x)
{
    guard g;
    if (x % 3 == 0)
        throw x;
    return x + 1;
}
int main(int count, char **)
{
    try {
        thrower(count * 3);
    } catch (int) {
        return 4;
    }
    return 0;
}
C
"$clang" -O1 -w "$COTREE_TOP/tests/decode/interrupt_at.c" -o interrupt_at
cotree c++ -O2 prog.cc -o prog
objdump -d --no-show-raw-insn prog | awk '/<_Z7throweri>:$/ { inside = 1; next } /^$/ { inside = 0 }
    inside { sub(/:/, "", $1); print $1 }' >addresses
stops=0
while read -r address; do
    rm -f data
    status=0
    COTREE_FILE=data ./interrupt_at "$address" ./prog || status=$?
    [ $status -le 1 ] || die "$address: interrupt_at ends with $status"
    [ $status -eq 0 ] || continue # not on the way of this run
    stops=$((stops + 1))
    cotree report --format=json prog data >json
    jq -e '[.functions[] | select(.name | test("^thrower")) |
        .entries == 1 or .blocks[0].may_have_run] == [true]' json >/dev/null ||
        die "$address: thrower began, and is said never to have run"
    jq -e '[.functions[] | select(.name == "main") | .exact, .entries] == [true, 1]' json >/dev/null ||
        die "$address: main is not exact"
done <addresses
[ $stops -ge 20 ] || die "only $stops places were tried"
