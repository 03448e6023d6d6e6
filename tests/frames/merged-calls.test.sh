#!/usr/bin/env bash
# Two calls of the source that clang makes one: which of them a frame was left in its address does
# not tell, so counters declare it; a trace knows.
set -eu
export COTREE_FOLLOWER=off
fail() { echo "$*" >&2; exit 1; }
cotree=$COTREE_BUILD/cotree
cat >prog.c <<'C'
#include <stdio.h>
int column;
__attribute__((noinline)) static void list(FILE *out, char **words, int count)
{
    for (int i = 0; i < count; i++) {
        fprintf(out, "%s", words[i]);
        if (i < count - 1)
            fprintf(out, "%s", ",");
        else
            fprintf(out, "%s", "\n");
    }
}
__attribute__((noinline)) static void put(int c)
{
    if (c == '\n') {
        column = 0;
        putc(c, stdout);
    } else {
        column++;
        putc(c, stdout);
    }
}
int main(int argc, char **argv)
{
    setvbuf(stdout, 0, _IONBF, 0);
    for (;;)
        if (argc > 2)
            list(stdout, argv + 1, argc - 1);
        else
            put('a');
}
C
sets=edges,blocks,every-edge,every-block
"$cotree" cc -O2 -fcotree=$sets prog.c -o counted
"$cotree" cc -O2 -fcotree=trace prog.c -o traced
"$cotree" cc -O2 -fcotree=trace,every-edge prog.c -o both

# ends NAME ARGUMENT...: the reader of its output goes away. Words without letters write nothing: it
# dies in a call that was merged.
ends() {
    local name=$1
    shift
    rm -f run.cotree*
    COTREE_FILE=run.cotree "./$name" "$@" | head -c 1 >head
    "$cotree" report --check-sets --format=json "$name" run.cotree -o report.json 2>messages ||
        [ "$name" = traced ] ||
        fail "$name $*: $(cat messages)"
    if [ "$name" = traced ]; then "$cotree" report --format=json "$name" run.cotree -o report.json; fi
}
for name in counted both; do
    for arguments in '"" ""' ''; do
        eval "ends $name $arguments"
        if grep 'difference: ' messages | grep -v 'declared difference: '; then fail "$name: not declared"; fi
        [ -n "$arguments" ] || continue # to counters the activation may have ended: the call may be a jump
        jq -e '(.exact | not) and
            ([.functions[] | select(.exact | not) | .name == "list" or .name == "put"] | all) and
            ([.functions[] | select(.exact | not) | .max_error] == [1])' report.json >/dev/null ||
                fail "$name $arguments: $(jq -c '[.exact, .why_not_exact]' report.json)"
    done
done
ends traced "" ""
jq -e '.exact and ([.functions[] | select(.name == "list") | .frames[] | [.line, .left]] | . == [[8, 1]] or
    . == [[10, 1]])' report.json >/dev/null ||
    fail "traced: $(jq -c '.functions[] | select(.name == "list") | .frames' report.json)"
ends traced
jq -e '.exact and ([.functions[] | select(.name == "put") | .frames[] | [.line, .left]] == [[20, 1]])' \
    report.json >/dev/null ||
    fail "traced: $(jq -c '.functions[] | select(.name == "put") | .frames' report.json)"
