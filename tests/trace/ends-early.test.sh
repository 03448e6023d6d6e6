#!/usr/bin/env bash
# Witnesses that are written late (-fcotree-witness=log2, packed-bits, paths): the last choices of a
# program that a signal ends are not in its trace. Then it says that it ends early, packed or not,
# and does not where the way to the end is known. Nothing wrong is called exact.
set -eu
cotree=$COTREE_BUILD/cotree
fail() { echo "$*" >&2; exit 1; }
cat >ends.c <<'C'
#include <unistd.h>
volatile int sink;
int main(int argc, char **argv)
{
    int ends[2];
    for (int i = 0; i < 100; i++)
        if (i % 3)
            sink += i;
    if (pipe(ends) == 0 && argc > 1) {
        sink = 1;
        close(ends[0]);
        if (sink == 1) {
            sink = 2;
            if (argc > 2)
                sink += write(ends[1], "x", 1);
            else
                *(volatile int *)(argc == 2 ? 16 : (long)&sink) = 3;
        }
    }
    return 0;
}
C
for witness in forest log2 packed-bits paths; do
    "$cotree" cc -w -O3 -fcotree=trace -fcotree-witness=$witness ends.c -o ends
    for arguments in '' 'fault' 'pipe x'; do
        rm -f ends.*.cotree*
        # shellcheck disable=SC2086
        (COTREE_FOLLOWER=off ./ends $arguments) 2>&- || [ -n "$arguments" ] || fail "$witness: status $?"
        case "$arguments" in '') last='return 0' ;; pipe*) last='"x"' ;; *) last='16 :' ;; esac
        # With paths the way is known where only one leads there.
        case "$witness $arguments" in 'forest '* | *' ') early=0 ;; paths*) early='0 1' ;; *) early=1 ;; esac
        for packed in no yes; do
            [ $packed = no ] || "$cotree" trace --pack ends.*.cotree
            "$cotree" trace ends ends.*.cotree >summary
            "$cotree" trace --list ends ends.*.cotree >list
            "$cotree" trace --export=jsonl ends ends.*.cotree >steps
            got="$(grep -c 'ends early: 1 thread' summary) $(grep -c 'died further on' list) $(
                grep -c '"further_on":true' steps)" || :
            is_early=${got%% *} reached=$(tail -n 3 list | grep -c "$last") || :
            [[ $got = "$is_early $is_early $is_early" && " $early " = *" $is_early "* &&
                $reached = $((1 - is_early)) ]] ||
                fail "$witness, '$arguments', packed $packed: $got, reached $reached"
        done
        "$cotree" report --format=json ends ends.*.cotree >report.json
        jq -e --argjson line "$(grep -n "$last" ends.c | cut -d: -f1)" --argjson early $is_early \
            '[.files[].lines[] | select(.line == $line)][0] |
                if .exact then .count == 1 else $early == 1 end' \
            report.json >/dev/null || fail "$witness, '$arguments': $(jq -c '.files[].lines' report.json)"
    done
done
