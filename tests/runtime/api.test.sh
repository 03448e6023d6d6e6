#!/usr/bin/env bash
# cotree_dump copies the counts so far, cotree_reset starts over; a plain build and COTREE=off just run.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"
I=-I$COTREE_BUILD/include
build_exec prog $I "$HERE/api.c"
build_static static $I "$HERE/api.c"
build_exec pic $I -DHANDMADE_PIC "$HERE/api.c"
DUMPED=32 RESET=16

for program in prog static pic; do
    rm -f ./*.cotree ./*.dump
    expect "$program: results" "$(./$program)" "0 2 0 0 0"
    expect "$program: first dump" "$(sum 7001 first.dump) $(field flags first.dump)" "10 30 $DUMPED"
    expect "$program: second dump" "$(sum 7001 second.dump) $(field flags second.dump)" "11 30 $DUMPED"
    expect "$program: after reset" "$(sum 7001 $program.*.cotree) $(field flags $program.*.cotree)" \
        "5 30 $RESET"
    expect "$program: nothing left over" "$(ls ./*.tmp 2>/dev/null)" ""
done
rm -f ./*.cotree ./*.dump
expect "off" "$(COTREE=off ./prog) $(ls ./*.dump ./*.cotree 2>/dev/null)" "2 2 2 2 2 "
expect "pool: no reset" "$(COTREE_FILE=%m ./prog)" "0 2 0 0 95"
"$CLANG" $CFLAGS_TEST $I -DPLAIN "$HERE/api.c" -o plain
"$CLANG" $CFLAGS_TEST $I -DPLAIN -static "$HERE/api.c" -o plain-static
expect "plain build" "$(./plain)" "38 38 38 38 38"
expect "plain static build" "$(./plain-static)" "38 38 38 38 38"
"${CLANG/clang/clang++}" $CFLAGS_TEST $I -DPLAIN -x c++ "$HERE/api.c" -o plain-c++ -Wno-unused

# A copy that would be longer than files may be is none; no signal comes.
cat >limited.c <<'C'
#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <cotree.h>
int main(void)
{
    const struct rlimit limit = {4096, 4096};
    return setrlimit(RLIMIT_FSIZE, &limit) || cotree_dump("limited.dump") != EFBIG;
}
C
"$COTREE_BUILD/cotree" cc -O1 $I limited.c -o limited
./limited || fail "RLIMIT_FSIZE: status $?"
expect "RLIMIT_FSIZE: no copy" "$(ls ./limited.dump* 2>/dev/null)" ""

# A trace begins with the program: counts that follow from it cannot start over.
cat >traced.c <<'C'
#include <errno.h>
#include <cotree.h>
int main(void)
{
    return cotree_reset() != ENOTSUP;
}
C
"$COTREE_BUILD/cotree" cc -O1 -fcotree=trace $I traced.c -o traced
./traced || fail "a traced program starts over"
