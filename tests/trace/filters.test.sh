#!/usr/bin/env bash
# cotree trace --list with --function, --file and what excludes: the lines that are left are those
# of the whole list, with the same positions, depths and texts. Nothing folds in this program, so
# that lines can be compared one by one.
set -eu
cotree=$COTREE_BUILD/cotree
export COTREE_FOLLOWER=off
die() { echo "$*"; exit 1; }

mkdir src
cat >src/cases.inc <<'C'
    case 3:
        n += more(n);
        break;
C
cat >src/more.h <<'C'
__attribute__((noinline)) static int more(int n)
{
    return n > 2 ? n + 1 : n;
}
C
cat >src/main.c <<'C'
#include "more.h"
__attribute__((noinline)) static int choose(int n)
{
    switch (n) {
#include "cases.inc"
    default:
        n = 0;
    }
    return n;
}
__attribute__((noinline)) static int outer(int n)
{
    int found = choose(n) + choose(n + 1);
    return found;
}
int never(int n)
{
    return n;
}
int main(int argc, char **argv)
{
    (void)argv;
    return outer(argc + 2) == 99 ? never(argc) : 0;
}
C
"$cotree" cc -O1 -fcotree=trace src/main.c -o prog
COTREE_FILE=run.cotree ./prog

list() { "$cotree" trace --list --no-source --no-pager prog run.cotree "$@"; }
list >all
grep -q ' x [0-9]' all && die "something folds: $(cat all)"
# Each line behind the first, with the function it is in: "FUNCTION FILE LINE-OF-THE-LIST".
awk 'NR > 1 { line = $0; rest = substr($0, 15); depth = match(rest, /[^ ]/) - 1
    if (rest ~ /\(\)/) {
        name = rest; gsub(/^ *|\(\).*/, "", name); stack[depth / 2 + 1] = name; file = "call"
    } else {
        name = stack[depth / 2]; file = rest; gsub(/^ *|:.*/, "", file)
    }
    print name, file, line }' all >marked
[ "$(cut -d' ' -f1 marked | sort -u | paste -sd' ')" = "choose main more outer" ] || die "$(cat marked)"
[ "$(cut -d' ' -f2 marked | sort -u | paste -sd' ')" = "call cases.inc main.c more.h" ] || die "$(cat marked)"

# is CONDITION OPTION...: the list is that of marked lines for which the condition (awk) holds.
is() {
    local condition=$1
    shift
    awk "$condition"' { sub(/^[^ ]* [^ ]* /, ""); print }' marked >wanted
    list "$@" | sed 1d >got
    cmp -s wanted got || die "$*: $(diff wanted got)"
    [ -s got ] && [ "$(wc -l <got)" -lt "$(wc -l <marked)" ] || die "$*: all or nothing: $(cat got)"
}
is '$1 == "choose"' --function=choose
is '$1 == "main" || $1 == "more"' --function='m*'
is '$1 == "main" || $1 == "outer"' --function=main --function='out*'
is '$1 != "choose"' --exclude-function=choose
is '$1 == "main"' --function='m*' --exclude-function=more
is '$1 == "more"' --file=more.h
is '$1 == "more"' --exclude-file=main.c
is '$1 == "choose" && ($2 == "call" || $2 == "cases.inc")' --file='src/*.inc'
is '$2 != "cases.inc"' --exclude-file=cases.inc
is '$1 == "choose" && $2 != "cases.inc"' --function=choose --exclude-file='*.inc'

# The calls that lead to the beginning of a window, and accesses, are filtered, too.
list --to=more --last=1 --exclude-function=outer >window
running=$(sed -n 's/^ *\([a-z]*\)()  was running.*/\1/p' window | paste -sd' ')
[ "$running" = "main choose" ] || die "$(cat window)"
cat >stores.c <<'C'
int a[2];
__attribute__((noinline)) static void first(int n) { a[0] = n; }
__attribute__((noinline)) static void second(int n) { a[1] = n; }
int main(int argc, char **argv)
{
    (void)argv;
    first(argc);
    second(argc);
}
C
"$cotree" cc -O1 -fcotree=trace -fcotree-trace=addresses stores.c -o stores
COTREE_FILE=stores.cotree ./stores
[ "$("$cotree" trace --list --addresses stores stores.cotree | grep -c ' store 4 at')" = 2 ]
[ "$("$cotree" trace --list --addresses --function=second stores stores.cotree | grep -c ' store 4 at')" = 1 ]

# Rounds fold as they look without what is left out: odd() runs in two ways, round_of() in one.
cat >rounds.c <<'C'
__attribute__((noinline)) static int odd(int n) { return n & 1 ? n + 1 : n; }
__attribute__((noinline)) static int round_of(int n) { return odd(n) + 1; }
int main(int argc, char **argv)
{
    int sum = 0;
    (void)argv;
    for (int i = 0; i < 9 + argc; i++)
        sum += round_of(i & (i >> 1));
    return sum == 99;
}
C
"$cotree" cc -O1 -fcotree=trace rounds.c -o rounds
COTREE_FILE=rounds.cotree ./rounds
"$cotree" trace --list --no-source rounds rounds.cotree --function=round_of | grep -qE '^ +x 10( |$)' ||
    die "$("$cotree" trace --list rounds rounds.cotree --function=round_of)"

# never() is there, but was not called: a list without lines.
[ "$(list --function=never | wc -l)" = 1 ] || die "$(list --function=never)"
# refuses STATUS TEXT OPTION...
refuses() {
    local want=$1 text=$2 status=0
    shift 2
    "$cotree" trace prog run.cotree "$@" >out 2>err || status=$?
    [ $status = "$want" ] && [ "$(wc -l <err)" = 1 ] && grep -qF -- "$text" err ||
        die "$*: $status, $(cat err)"
    [ ! -s out ] || die "$*: $(cat out)"
}
refuses 1 "nothing matches 'nobody'" --list --function=nobody
refuses 1 "nothing is left without what matches '*'" --list --exclude-file='*'
refuses 64 "need --list" --function=main
refuses 64 "need --list" --export=jsonl --exclude-file=main.c
refuses 64 "a pattern is missing" --list --file=
