#!/usr/bin/env bash
# However a program ends, its counts are exact or the report says why not; where the counter sets
# differ, that was declared.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
. "$COTREE_TOP/tests/lib/most_counted.sh"

# ending WAY TEXT: TEXT is in the reasons, or the run is exact when there is none.
ending() {
    rm -f ./*.cotree
    # in a shell of its own, which alone says that its child was killed
    bash -c "./prog $1 >out; :" 2>killed
    cotree report --check-sets --format=json prog prog.*.cotree >json 2>err ||
        { cat err; die "$kind, $1: the sets differ"; }
    local exact reasons
    exact=$(jq -r .exact json); reasons=$(jq -r '.why_not_exact[]' json)
    if [ -z "$2" ]; then
        [ "$exact" = true ] || die "$kind, $1: not exact: $reasons"
        [ ! -s err ] || { cat err; die "$kind, $1: exact, but the sets differ"; }
        [ "$(jq '[.functions[] | select(.exact and .max_error == 0 | not)] | length' json)" = 0 ] ||
            die "$kind, $1: a function is not exact"
    else
        [ "$exact" = false ] || die "$kind, $1: called exact"
        has "$reasons" "$2"
    fi
}

for kind in "-O0" "-O2" "-O2 -static" "-O1 -fPIC"; do
    cotree cc $kind -g -pthread -fcotree=edges,every-edge "$COTREE_TOP/tests/decode/endings.c" -o prog
    ending return ""
    ending exit-in-main ""
    ending thread ""
    ending setjmp ""
    ending exit ""
    ending _exit ""
    ending abort ""
    ending kill "the run was killed"
    ending exec ""
    ending longjmp ""
    ending thread-alive ""
    ending thread-cancelled ""
    ending pthread_exit ""
    ending fork ""
done

# main knows how wrong it can be: each run that did not finish it may have been in it once, and have
# counted as much less than it ran as one piece of its code counts.
rm -f ./*.cotree
cotree cc -O2 -pthread -fcotree=edges "$COTREE_TOP/tests/decode/endings.c" -o alone
most=$(most_counted alone main)
[ "$most" -gt 0 ] || die "no counts in the code of main"
for i in 1 2 3; do bash -c './alone kill; :' 2>killed; done
./alone
cotree report --format=json alone . >json
[ "$(jq -c '[.runs, (.functions[] | select(.name == "main") | .max_error)]' json)" = \
    "[4,$((3 * (1 + most)))]" ] || die "$most counts at once: $(cat json)"
has "$(jq -r '.why_not_exact[]' json)" "3 of 4 runs were killed"

# A program that runs can be looked at.
rm -f ./*.cotree
mkfifo in
./prog waits <in >ready &
exec 3>in
until [ -s ready ]; do sleep 0.01; done
cotree report --format=json prog prog.*.cotree >json
has "$(jq -r '.why_not_exact[]' json)" "still going on"
echo >&3
wait
cotree report --format=json prog prog.*.cotree >json
[ "$(jq .exact json)" = true ] || die "finished, but $(jq .why_not_exact json)"
