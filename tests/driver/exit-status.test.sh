#!/usr/bin/env bash
# The exit status and the messages are clang's: a syntax error, a missing file, an unknown flag, a
# failed link, success.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
echo 'int main(void) { return 0 }' >syntax.c
echo 'int missing(void); int main(void) { return missing(); }' >unresolved.c
echo 'int main(void) { return 0; }' >good.c
echo 'int main(void) { int unused; return 0; }' >warned.c

same() {
    local ours=0 plain=0
    cotree cc "$@" >ours.out 2>&1 || ours=$?
    "$clang" "$@" >plain.out 2>&1 || plain=$?
    [ $ours -eq $plain ] || { cat ours.out; die "status $ours, clang's is $plain: $*"; }
    cmp ours.out plain.out || { diff plain.out ours.out; die "other messages: $*"; }
}
same -c syntax.c
same -fcolor-diagnostics -c syntax.c
same -c no-such-file.c
same --no-such-flag -c good.c
same -fsyntax-only syntax.c
same
same -c good.c -o no/such/directory/x.o
same -Wall -c warned.c
same -Wall -Werror -c warned.c
same -Weverything -Werror -c good.c -Wno-missing-prototypes
same -c good.c
status=0; cotree cc unresolved.c 2>out || status=$?
[ $status -eq 1 ] && grep -q missing out
# An option at the end without its argument takes none of ours.
for option in -o -x -Xlinker -include -Xclang -MF; do same -c good.c $option; same good.c $option; done
[ -z "$(find . -name '-*')" ]
