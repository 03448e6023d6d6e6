#!/usr/bin/env bash
# Traced libraries that are loaded and unloaded again and again: every call is counted, and each
# process has one data file and one follower.
set -eu
cotree=$COTREE_BUILD/cotree
programs=$COTREE_TOP/tests/trace/programs
fail() { echo "$*" >&2; exit 1; }
for name in work other; do
    "$cotree" cc -O1 -fcotree=trace -shared -fPIC -DNAME=$name "$programs/reload_library.c" -o $name.so
done
"$cotree" cc -O1 -fcotree=trace -fcotree-trace=addresses -shared -fPIC -DNAME=work \
    "$programs/reload_library.c" -o words.so
"clang-$LLVM" -O1 "$programs/reload_host.c" -o plain -lpthread -ldl
"$cotree" cc -O1 -fcotree=trace "$programs/reload_host.c" -o traced -lpthread -ldl
entries() { # NAME FILES...: how often it was entered, if that is exact
    local name=$1; shift
    "$cotree" report --format=json "$@" >json || fail "no report of $*"
    jq -r --arg name "$name" '"\(.exact) \([.functions[] | select(.name == $name).entries] | add)"' json
}
check() { # WHAT PROGRAM HOW ROUNDS FILES WANTED LIBRARY... WANTED: what entries says
    local what=$1 program=$2 how=$3 rounds=$4 files=$5 wanted=$6 name library
    shift 6
    rm -rf data; mkdir data
    COTREE_FILE=data/%p.cotree COTREE_FOLLOWER=$cotree ./$program "$how" "$rounds" "$@" ||
        fail "$what: status $?"
    for library in "$@"; do
        name=${library#./}
        name=${name%.so}
        [ "$name" != words ] || name=work
        entries "$name" "$library" data/*.cotree >got
        [ "$(cat got)" = "$wanted" ] ||
            fail "$what: $name: $(cat got) $(jq -c .why_not_exact json), not $wanted"
    done
    [ "$(ls data/*.cotree | wc -l)" -le "$files" ] || fail "$what: $(ls data | wc -l) files"
}
check 'once' plain - 1 1 'true 1' ./work.so
check 'again and again' plain - 200 1 'true 200' ./work.so
check 'loaded at the end' plain K 200 1 'true 200' ./work.so
check 'two in turn' plain - 50 2 'true 50' ./work.so ./other.so
check 'in a child, too' plain F 50 2 'true 100' ./work.so
check 'in a traced program' traced - 200 1 'true 200' ./work.so
check 'in a traced program, two in a child, too' traced F 50 2 'true 100' ./work.so ./other.so
# Nobody sees the ends of threads in libraries under a plain program.
check 'in threads' plain T 50 5 'false 250' ./work.so
check 'with addresses' plain - 20 20 'true 20' ./words.so

# While the program runs nobody takes the file for complete, though no library is loaded.
rm -rf data; mkdir data
cat >waits.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
static int load(void)
{
    void *library = dlopen("./work.so", RTLD_NOW);
    int (*work)(int) = library ? (int (*)(int))dlsym(library, "work") : NULL;
    return !work || work(10) != 5 || dlclose(library);
}
int main(void)
{
    int bad = load();
    puts("loaded");
    fflush(stdout);
    getchar();
    return bad || load();
}
C
"clang-$LLVM" -O1 waits.c -o waits -ldl
mkfifo to from
COTREE_FILE=data/a.cotree COTREE_FOLLOWER=off ./waits <to >from &
waits=$!
exec 5>to 6<from
read -r _ <&6
"$cotree" report --format=json work.so data/a.cotree >json
jq -e '(.exact | not) and (.why_not_exact | tostring | test("still going on"))' json >/dev/null ||
    fail "while it waits: $(jq -c .why_not_exact json)"
echo >&5
wait "$waits" || fail "status $?"
[ "$(entries work work.so data/a.cotree)" = 'true 2' ] || fail "afterwards: $(jq -c .why_not_exact json)"
