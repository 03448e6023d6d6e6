#!/usr/bin/env bash
# A pool keeps every run of a build in one file: a thousand processes at once, a tenth of them
# killed, none lost.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"
build_exec prog "$HERE/pool.c"
build_static static "$HERE/pool.c"
build_exec pic -DHANDMADE_PIC "$HERE/pool.c"
"$CLANG" $CFLAGS_TEST "$HERE/start_many.c" -o start_many
build=$(readelf -n prog | sed -n 's/.*Build ID: //p')
POOL=1 FORKED=64
export COTREE_FILE=%m

# One after another: one block, one file.
for i in 1 2 3 4 5; do ./prog $i; done
expect "name" "$(ls ./*.cotree)" "./prog.$build.pool.cotree"
expect "five runs" "$(sum 6001 prog.*.cotree) $(states prog.*.cotree)" "5000 0 CLEAN=1"
expect "five runs" "$(field runs prog.*.cotree) $(field clean prog.*.cotree) $(field flags prog.*.cotree)" \
    "5 5 $POOL"
# A killed one is kept.
{ ./prog 10; } 2>/dev/null && fail "not killed"
./prog 1
expect "a killed run" "$(sum 6001 prog.*.cotree) $(states prog.*.cotree)" "7000 0 CLEAN=1 USED=1"

for program in prog static pic; do
    rm -f ./*.cotree
    n=200; [ $program = prog ] && n=1000
    ./start_many $n ./$program
    expect "$program: files" "$(ls ./*.cotree | wc -l)" 1
    expect "$program: all at once" "$(sum 6001 $program.*.cotree)" "$((n * 1000)) 0"
    expect "$program: runs" "$(field runs $program.*.cotree) $(field clean $program.*.cotree)" \
        "$n $((n - n / 10))"
    expect "$program: the killed ones" "$(states $program.*.cotree | tr ' ' '\n' | grep USED)" \
        USED=$((n / 10))
    # Again, with threads: blocks are reused.
    ./start_many 100 ./$program 3
    expect "$program: with threads" "$(sum 6001 $program.*.cotree)" "$((n * 1000 + 100000)) 300"
done

# Children of fork share the pool.
rm -f ./*.cotree
./prog forks 50
expect "fork: files" "$(ls ./*.cotree | wc -l)" 1
expect "fork" "$(sum 6001 prog.*.cotree) $(field runs prog.*.cotree) $(field clean prog.*.cotree)" \
    "50000 0 51 46"

# Another build has its own pool; a file that is something else is left alone.
build_exec prog2 -DOTHER -DHANDMADE_EXTRA "$HERE/pool.c" -O0
mv prog2 prog
./prog 1
expect "another build" "$(ls ./*.cotree | wc -l)" 2
build=$(readelf -n prog | sed -n 's/.*Build ID: //p')
mkdir x && cd x
dd if=/dev/urandom of=prog.$build.pool.cotree bs=4096 count=3 status=none
cp prog.$build.pool.cotree before
../prog 1
cmp prog.$build.pool.cotree before || fail "overwrote a file that is no pool"
[ -e prog.$build.pool.1.cotree ] || fail "no pool beside it"
