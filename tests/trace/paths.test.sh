#!/usr/bin/env bash
# A trace implies path counts: those of a program that counts them, in a build of its own and in the
# same run; and how paths went that did not end.
set -eu
export COTREE_FOLLOWER=off
fail() { echo "$*" >&2; exit 1; }
cotree=$COTREE_BUILD/cotree
programs=$COTREE_TOP/tests/trace/programs
"clang-${LLVM:-19}" -O2 -c "$programs/reporter.c" -o reporter.o

paths() { # SETS PATH-ENDS
    local ends=$2
    "$cotree" cc -O2 -w "-fcotree=$1" ${ends:+-fcotree-path-ends=$ends} "$programs/calls.c" reporter.o -o prog
    rm -f prog.*.cotree*
    ./prog >output
    case $1 in paths) ends= ;; esac
    "$cotree" report ${ends:+--path-ends=$ends} --format=json ./prog prog.*.cotree |
        jq -c '.functions[] | [.name, .paths, .paths_unknown]' | sort
}
for ends in '' loops back; do
    paths paths "$ends" >wanted
    paths trace "$ends" >got
    cmp wanted got || fail "paths that end at '$ends': $(diff wanted got | head -n 4)"
    [ "$(grep -c '"id":' wanted)" -gt 15 ] || fail "only $(grep -c '"id":' wanted) functions have paths"
    cmp -s wanted before && fail "'$ends': the same paths as before"
    mv wanted before
done

# In one run: jumps, exceptions, signals, threads and children. How a child came to where its
# parent's main stood only the parent's trace knows.
for source in jumps.c exceptions.cpp signals.c threads.c forks.c; do
    driver=cc
    case $source in *.cpp) driver=c++ ;; esac
    "$cotree" $driver -O1 -w -fcotree=trace,paths "$programs/$source" reporter.o -pthread -o both
    rm -f both.*.cotree*
    ./both >output
    "$cotree" report --check-sets --no-source both both.*.cotree >shown 2>messages ||
        fail "$source: $(cat messages)"
    ! grep ' path .*by its trace' messages | grep -v "'main'.*forks.c" || fail "$source"
    "$cotree" trace --export=blocks both both.*.cotree >before # packed, it is the same
    "$cotree" trace --pack both.*.cotree
    "$cotree" trace --export=blocks both both.*.cotree | cmp - before || fail "$source: packed"
done

# Where control was left: at each of these places the path is known.
cat >left.c <<'C'
#include <stdlib.h>
__attribute__((noinline)) static int below(int n, int how)
{
    int s = 0;
    if (n % 2)
        s += n;
    else
        s -= n;
    for (int i = 0; i < 3; i++)
        if (i == 2 && !n)
            exit(how);
    return s + (n ? below(n - 1, how) : 0) * 2;
}
int main(int argc, char **argv)
{
    return below(3, argc > 5) + (argv == 0);
}
C
"$cotree" cc -O0 -w -fcotree=trace left.c -o left
COTREE_FILE=left.cotree ./left
"$cotree" report --format=json left left.cotree |
    jq -c '.functions[] | [.name,
        ([.paths[] | select(.finished | not) | [.count, .from_entry, .lines[0], .lines[-1]]] |
        sort)]' | sort >got
cat >wanted <<'W'
["below",[[3,false,9,12]]]
["main",[[1,true,14,16]]]
W
cmp wanted got || fail "unfinished: $(diff wanted got)"

# The path to exit is finished: nothing can follow it.
[ "$("$cotree" report --format=json left left.cotree |
    jq '[.functions[] | select(.name == "below") | .paths[] | select(.finished and .lines[-1] == 11)] |
        length')" = 1 ]

# Merged files keep them; other runs are added; what ends paths cannot be mixed.
"$cotree" merge -q left left.cotree -o once.cotree
"$cotree" merge -q left once.cotree left.cotree -o twice.cotree
"$cotree" merge -q left left.cotree once.cotree -o again.cotree
list() {
    "$cotree" report --format=json "$@" | jq -c '.functions[] | [.name, (.paths[] | [.id, .count, .blocks])]'
}
list left left.cotree >direct
list once.cotree | cmp - direct
list twice.cotree >two
list again.cotree | cmp - two
[ "$(jq -s '[.[][1:][][1]] | add' two)" = "$(jq -s '2 * ([.[][1:][][1]] | add)' direct)" ] ||
    fail "merged: $(cat two)"
"$cotree" merge -q --path-ends=loops left once.cotree left.cotree -o mixed.cotree 2>messages &&
    fail "paths that end elsewhere were added"
grep -q 'path-ends' messages
"$cotree" report --paths left once.cotree | grep -q '^paths'
