#!/usr/bin/env bash
# A file is used whole or not at all: the report beside a refused file is that without it, whatever
# the file had brought until it was refused, its trace, libraries and paths included, and in
# whichever order they are named.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
$clang -std=gnu17 -I"$COTREE_TOP/src" "$COTREE_TOP/tests/decode/contradict.c" -o contradict

# One unit counts edges, one records a trace, and so does a library that only the second run loads.
cat >traced.c <<'C'
int traced(int i)
{
    if (i % 3 == 0)
        return i * 2;
    return i + 1;
}
C
cat >library.c <<'C'
int in_library(int i)
{
    return i > 2 ? i : -i;
}
C
cat >main.c <<'C'
#include <dlfcn.h>
int traced(int);
static volatile int z;
__attribute__((noinline)) static int work(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        if (i & 1)
            s += z + i;
        else
            s -= z;
    }
    return s;
}
int main(int argc, char **argv)
{
    int s = work(10);
    for (int i = 0; i < 7; i++)
        s += traced(i);
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : 0;
    if (library)
        s += ((int (*)(int))dlsym(library, "in_library"))(argc);
    return s == 12345;
}
C
cotree cc -O1 -fcotree=edges -c main.c
cotree cc -O1 -fcotree=trace -c traced.c
cotree cc -O1 -fcotree=trace main.o traced.o -ldl -o prog
for mode in edges trace; do cotree cc -O1 -fPIC -shared -fcotree=$mode library.c -o $mode.so; done

for library in '' edges trace; do
    rm -f ./*.cotree*
    COTREE_FILE=good.cotree ./prog
    COTREE_FILE=bad.cotree ./prog ${library:+./$library.so}
    cp bad.cotree whole.cotree; cp bad.cotree-events whole.cotree-events
    ./contradict bad.cotree
    for options in '' --path-ends=loops; do
        cotree report $options --format=json prog good.cotree >alone.json
        [ "$(jq '.functions[] | select(.name == "traced") | .entries' alone.json)" = 7 ] ||
            die "one run: $(cat alone.json)"
        for files in 'good.cotree bad.cotree' 'bad.cotree good.cotree'; do
            s=0; cotree report $options --format=json prog $files >both.json 2>err || s=$?
            [ $s -eq 4 ] && grep -q "skipped 'bad.cotree'" err ||
                die "$library $options: status $s, $(cat err)"
            cmp alone.json both.json || die "library '$library', $options: the refused file is in the report"
        done
        # The judge sees more: with the file as it was, the report is another one.
        cotree report $options --format=json prog good.cotree whole.cotree >whole.json
        ! cmp -s alone.json whole.json || die "library '$library': the second run changes nothing"
    done
done
