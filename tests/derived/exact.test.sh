#!/usr/bin/env bash
# Entries that follow from calls are those that a counter on every edge counts: in libraries, static
# programs and with link-time optimisation, in files that are merged and in profiles that are used;
# two units with a static function of the same name and place are not mixed up.
set -eu
. "$COTREE_TOP/tests/lib/corpus.sh"
clang=clang-${LLVM:-19}
check() { # NAME PROGRAM FILE...: all sets agree, and the profile is exact.
    local name=$1 status=0
    shift
    "$cotree" report --check-sets --format=json -o "$name.json" "$@" 2>"$name.log" || status=$?
    if [ $status -ne 0 ] || [ -s "$name.log" ]; then
        failed "$name: status $status: $(head -n 3 "$name.log")"; return
    fi
    [ "$(jq .exact "$name.json")" = true ] || failed "$name: $(jq -c .why_not_exact "$name.json")"
}
# A header whose static functions two units have, each with its own callers; one unit takes an address.
cat >shared.h <<'END'
static int low(int x) { return x & 1 ? x : -x; }
static int high(int x) { return low(x) + low(x + 1); }
END
cat >one.c <<'END'
#include "shared.h"
int two(int);
int main(void) { int s = 0; for (int i = 0; i < 5; i++) s += high(i) + two(i); return s == 77; }
END
cat >two.c <<'END'
#include "shared.h"
#ifdef TAKEN
int (*taken)(int) = low;
#endif
int two(int x) { return x ? high(x) + low(3) : 0; }
END
for flags in -O0 -O2 "-O2 -DTAKEN" "-O2 -fPIC" "-O2 -static" "-O2 -flto" \
    "-O1 -ffunction-sections -Wl,--gc-sections"; do
    name=units${flags//[ ,]/}
    # shellcheck disable=SC2086
    "$cotree" cc $flags -fcotree=edges,every-edge one.c two.c -o "$name"
    COTREE_FILE=$PWD/$name.cotree "./$name" || failed "$name fails"
    check "$name" "$name" "$name.cotree"
    [ "$(jq '[.functions[] | select(.name == "low") | .entries] | add' "$name.json")" = 22 ] ||
        failed "$name: low"
    [ "$(jq '[.functions[] | select(.name == "high") | .entries] | add' "$name.json")" = 9 ] ||
        failed "$name: high"
done
# A library, in a program that counts and in one that does not; loaded late, too.
sed 's/int main(void)/int work(void)/; s/== 77/- s/' one.c >library.c
"$cotree" cc -O2 -fPIC -shared -fcotree=edges,every-edge library.c two.c -o libwork.so
echo 'int work(void); int main(void) { return work(); }' >user.c
"$cotree" cc -O2 -fcotree=edges,every-edge user.c -L. -lwork -Wl,-rpath,"$PWD" -o user
COTREE_FILE=$PWD/user.cotree ./user
check user user user.cotree
[ "$(jq '[.functions[] | select(.name == "low") | .entries] | add' user.json)" = 22 ] || failed "library: low"
"$clang" user.c -L. -lwork -Wl,-rpath,"$PWD" -o plain
COTREE_FILE=$PWD/plain.cotree ./plain
"$cotree" report --format=json -o plain.json libwork.so plain.cotree 2>log || failed "plain: $(cat log)"
[ "$(jq '[.functions[] | select(.name == "low") | .entries] | add' plain.json)" = 22 ] ||
    failed "plain program: low"
# Merged files hold the counts; adding them up, and beside a run file, gives what all run files give.
"$cotree" cc -O2 -w -pthread -fcotree=edges,every-edge "$corpus/cut-static-calls.c" -o cut
for i in 1 2 3; do COTREE_FILE=$PWD/cut.%p.$i.cotree ./cut >out || :; done
check cut cut cut.*.cotree
"$cotree" merge -q cut cut.*.1.cotree cut.*.2.cotree -o two.merged
"$cotree" report --format=json -o merged.json cut two.merged cut.*.3.cotree
jq -S '.functions' cut.json >a
jq -S '.functions' merged.json >b
same "merged and run files" a b || :
# Weights from an earlier profile, of a build that derived and of one that did not.
for durable in "" -fcotree-durable; do
    # shellcheck disable=SC2086
    "$cotree" cc -O2 -w -pthread $durable "$corpus/static-calls.c" -o earlier
    COTREE_FILE=$PWD/earlier.cotree ./earlier >out
    "$cotree" merge -q earlier earlier.cotree -o earlier.merged
    "$cotree" cc -O2 -w -pthread -fcotree=edges,every-edge -fcotree-use=earlier.merged \
        "$corpus/static-calls.c" -o used 2>log
    [ ! -s log ] || failed "use: $(cat log)"
    COTREE_FILE=$PWD/used.cotree ./used >out
    check used used used.cotree
    rm -f earlier.cotree used.cotree
done
finish
