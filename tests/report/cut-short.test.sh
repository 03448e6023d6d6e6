#!/usr/bin/env bash
# A server, while it runs and after kill -9: main ran, though it did not return, and no format says
# that it did not. What is certain is "at least"; the reason names -fcotree-durable, which a program
# that is built with it need not be told.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
cp "$COTREE_TOP/tests/report/killed-server.c" server.c
line() { grep -n -m1 -F -- "$1" server.c | cut -d: -f1; }
first=$(line 'int main'); last=$(line 'loop();')

# judge WHAT: of the data that is there.
judge() {
    cotree report ./server ./server.*.cotree >text
    grep -qF 'fcotree-durable' text || die "$1: no advice: $(sed -n 2p text)"
    grep -qF 'at least' text || die "$1: no 'at least': $(cat text)"
    ! awk -F'|' -v first="$first" -v last="$last" \
        '{ n = $1; gsub(/[^0-9 #?~+*,]/, "", n); k = split(n, w, " ");
            if (w[k] + 0 >= first && w[k] + 0 <= last && $1 ~ /#####/) print }' text | grep . ||
        die "$1: main is said not to have run"
    cotree report --format=json ./server ./server.*.cotree >json
    jq -e '.functions[] | select(.name == "main") | .entries == 1 and .entries_at_least == 1 and
        .blocks[0].at_least == 1' json >/dev/null || die "$1: $(jq -c '.functions[] |
            select(.name == "main") | [.entries, .entries_at_least]' json)"
    jq -e --argjson first "$first" \
        '.files[] | select(.file | endswith("server.c")) | .lines[] | select(.line == $first) |
            .count >= 1 and .at_least == 1' json >/dev/null || die "$1: the line of main"
    jq -e --argjson first "$first" --argjson last "$last" \
        '[.files[] | select(.file | endswith("server.c")) | .lines[] |
            select(.line >= $first and .line <= $last and
            .count == 0)] == []' json >/dev/null || die "$1: lines"
    jq -e '[.functions[], (.functions[].blocks[]) |
        select(.at_least != null and .count != null and
        .at_least > .count)] == []' json >/dev/null || die "$1: at least more than counted"
    cotree report --format=lcov ./server ./server.*.cotree >info 2>err
    grep -qx 'FNDA:1,main' info || die "$1: lcov: $(grep main info)"
    ! grep -x "DA:$first,0" info || die "$1: lcov: main's line is 0"
    cotree report --format=cobertura ./server ./server.*.cotree >xml 2>err
    ! grep "<line number=\"$first\" hits=\"0\"" xml || die "$1: cobertura: main's line is 0"
    cotree report --format=html -o page.html ./server ./server.*.cotree
    grep -qF 'fcotree-durable' page.html || die "$1: the page gives no advice"
}

# begin: the server, until it is in its loop.
begin() {
    rm -f ./*.cotree
    ./server with-argument >output &
    server=$!
    trap 'kill -9 $server 2>/dev/null || :' EXIT
    for _ in $(seq 600); do
        [ "$(cotree report --format=json ./server ./server.*.cotree 2>/dev/null |
            jq '.functions[] | select(.name == "on_tick") | .entries')" -gt 0 ] 2>/dev/null && return
        sleep 0.1
    done
    die "the server does not begin"
}
end() { kill -9 $server; wait $server 2>/dev/null || :; }

for flags in "-O0" "-O2" "-O0 -fcotree=paths" "-O2 -fcotree=paths"; do
    cotree cc -g $flags server.c -o server
    begin
    judge "$flags, going on"
    grep -qF 'is still going on' text || die "$flags: not said to go on: $(sed -n 2p text)"
    end
    judge "$flags, killed"
    grep -qF 'the run was killed' text || die "$flags: not said to be killed: $(sed -n 2p text)"
done
cotree cc -g -O1 -fcotree-durable server.c -o server
begin
end
cotree report ./server ./server.*.cotree >text
grep -qF 'was killed' text && ! grep -qF 'fcotree-durable' text || die "durable: $(sed -n 2p text)"
