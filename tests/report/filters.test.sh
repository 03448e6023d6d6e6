#!/usr/bin/env bash
# --function and --file may be given more than once, --exclude-function and --exclude-file leave out: in every
# format. Thresholds see what is left.
set -eu
. "$COTREE_TOP/tests/lib/report.sh"

mkdir src
cat >src/table.h <<'C'
static inline int lookup(int n)
{
    return n > 2 ? n : 2;
}
C
cat >src/parse.c <<'C'
#include "table.h"
int parse_word(int n)
{
    return lookup(n);
}
int parse_line(int n)
{
    return n + 1;
}
C
cat >src/cases.inc <<'C'
    case 1:
        return 5;
C
cat >src/main.c <<'C'
int parse_word(int), parse_line(int);
int unused(int n)
{
    n++;
    n *= 3;
    n--;
    return n;
}
int choose(int n)
{
    switch (n) {
#include "cases.inc"
    }
    return 0;
}
int main(int argc, char **argv)
{
    (void)argv;
    return parse_word(argc) + parse_line(argc) + choose(argc) == 12 ? unused(argc) : 0;
}
C
"$cotree" cc -fcotree=edges,paths -O0 src/main.c src/parse.c -o prog
COTREE_FILE=run.cotree ./prog

# shown OPTION...: the functions and files of the report.
shown() {
    "$cotree" report --format=json ./prog run.cotree "$@" >json || die "status $? of: $*"
    jq -r '([.functions[].name] | sort | join(" ")) + " | " +
        ([.files[] | select(.lines | length > 0) | .file | split("/")[-1]] | sort | join(" "))' json
}
# is EXPECTED OPTION...
is() {
    local expected=$1 got; shift
    got=$(shown "$@")
    [ "$got" = "$expected" ] || die "$*: '$got' instead of '$expected'"
}
is "choose lookup main parse_line parse_word unused | cases.inc main.c parse.c table.h"
# A function that lies in two files: one is shown without the other; the function goes with the file in which
# it is defined.
is "choose | cases.inc" --file=cases.inc
is "choose lookup main parse_line parse_word unused | main.c parse.c table.h" --exclude-file=cases.inc
is "lookup parse_line parse_word | parse.c table.h" --exclude-file=main.c
is "main unused | main.c" --function=main --function=unused
is "main parse_line parse_word | main.c parse.c" --function=main --function='parse_*'
is "lookup parse_line parse_word | parse.c table.h" --file=parse.c --file=table.h
is "choose lookup parse_line parse_word unused | cases.inc main.c parse.c table.h" --exclude-function=main
is "lookup | table.h" --exclude-function=main --exclude-function='parse*' --exclude-function=unused \
    --exclude-function='ch?ose'
is "choose main unused | main.c" --exclude-file='src/parse.c' --exclude-file='*.h' --exclude-file='*.inc'
is "parse_word | parse.c" --function='parse*' --exclude-function=parse_line
is "lookup | table.h" --file='src/*' --exclude-file='*.c'
is "parse_line | parse.c" --file=parse.c --function=parse_line --function=main
is "main parse_line | main.c parse.c" --function='*' --exclude-function='*o*' --exclude-function=unused

# What an excluding filter leaves is what a choosing filter takes, in every format.
export SOURCE_DATE_EPOCH=1
"$cotree" report --help | sed -nE 's/^( {20,}|  --format=FORMAT +)([a-z-]+): .*/\2/p' >formats
while read -r format; do
    "$cotree" report --format="$format" ./prog run.cotree --function='parse*' --function=lookup >chosen
    "$cotree" report --format="$format" ./prog run.cotree --exclude-file=main.c >left
    # Only how much was left out by a file's name is said besides.
    sed -i -e '/ lines left out by --exclude-file$/d' \
        -e 's/"by_exclude_file":[0-9]*/"by_exclude_file":0/' left
    "$cotree" report --format="$format" ./prog run.cotree >all
    cmp chosen left || die "$format: filters that mean the same give different reports"
    cmp -s all left && die "$format: nothing is left out"
done <formats
all="text html json lcov cobertura callgrind llvm-samples folded"
[ "$(paste -sd' ' formats)" = "$all" ] || die "formats: $(cat formats)"
"$cotree" report --paths ./prog run.cotree --exclude-function='parse*' >paths
grep -q lookup paths && ! grep -q 'parse_[a-z]*#' paths || die "paths: $(cat paths)"

# Thresholds: unused() never ran.
# reaches STATUS OPTION...
reaches() { local want=$1; shift; status "$want" "$cotree" report --no-source ./prog run.cotree "$@"; }
reaches 3 --fail-under-lines=100
reaches 3 --fail-under-lines=100 --exclude-file=parse.c
reaches 0 --fail-under-lines=100 --exclude-function=unused --exclude-function=choose
reaches 0 --fail-under-lines=100 --exclude-file=main.c
reaches 0 --fail-under-lines=100 --function=main --function='parse*'
reaches 3 --fail-under-paths=100 --exclude-function=unused --exclude-function=choose
reaches 0 --fail-under-paths=100 --exclude-file='*/main.c' --exclude-function=lookup

# Nothing is left: it is said, with what was asked for.
# leaves_nothing TEXT OPTION...
leaves_nothing() { local text=$1; shift; refuses 1 "$text" "$cotree" report ./prog run.cotree "$@"; }
leaves_nothing "nothing matches 'a' or 'b'" --function=a --function=b
leaves_nothing "nothing matches 'a', 'b' or 'c'" --file=a --file=b --file=c
leaves_nothing "nothing matches 'main' in files that match 'parse.c'" --function=main --file=parse.c
leaves_nothing "nothing matches 'main' without what matches 'm*'" --function=main --exclude-function='m*'
leaves_nothing "nothing is left without what matches '*'" --exclude-file='*'

# cotree graph: the same filters, of what is listed and of what is shown.
status 0 "$cotree" graph ./prog --file=main.c
[ "$(awk 'NR > 1 { print $4 }' out | sort | paste -sd' ')" = "choose main unused" ] || die "$(cat out)"
status 0 "$cotree" graph ./prog run.cotree --function=main --function=lookup
grep -q '^main ' out && grep -q '^lookup ' out && ! grep -q '^unused ' out || die "$(cat out)"
status 0 "$cotree" graph ./prog --function='parse*' --exclude-function=parse_line --format=dot
refuses 1 "nothing is left" "$cotree" graph ./prog --exclude-function='*'
