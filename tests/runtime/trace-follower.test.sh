#!/usr/bin/env bash
# The follower of a traced program: started when there is something to pack, seen by nobody, gone
# when the program is gone.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"
build_traced prog "$HERE/traced.c"
build_traced follow "$HERE/traced_follow.c"
directory=$PWD
lives() { # PATTERN: is there such a process of this test?
    for process in $(pgrep -f "$1"); do
        ! grep -qz "^PWD=$PWD$" "/proc/$process/environ" 2>/dev/null || return 0
    done
    return 1
}
cat >follower <<END
#!/bin/bash
cd $directory
{ echo "\$@"; env | grep COTREE; readlink /proc/\$\$/fd/{0,2}; ps -o sid=,pid=,nice=,tty= -p \$\$ | awk '{ print (\$1 == \$2), \$3, \$4 }'; } >started.\$\$
mv started.\$\$ started
END
chmod +x follower
export COTREE_FOLLOWER=$PWD/follower

wanted=$(COTREE=off ./follow 10 0)
case $wanted in "no child, no signal, descriptors 0 1 2"*) ;; *) fail "without a trace: $wanted" ;; esac
# Waits for all children, with a pipe as its output, which is closed when it ends.
rm -f ./*.cotree*
expect "what a program sees" "$(./follow 30000000 300)" "$wanted"
until [ -e started ]; do sleep 0.1; done
expect "how it is started" "$(cat started)" "trace --follow $(ls "$PWD"/follow.*.cotree)
COTREE=off
/dev/null
/dev/null
1 $(nice) ?"

# While it runs no end by exec is written: those of this program fail.
build_tdump
expect "the end, once" "$(./tdump ./follow.*-events | grep END | tr '\n' ';')" \
    "END calls=0 what=2 at=30000000;"

# Nothing to pack, or the program is gone, or it is not wanted: none.
rm -f ./*.cotree* started
./follow 10 100 >/dev/null
COTREE_FOLLOWER=off ./follow 30000000 200 >/dev/null
COTREE_FOLLOWER=off ./prog w 30000000 >/dev/null
COTREE=off ./follow 30000000 100 >/dev/null
# Who sleeps ends with the program, whatever it was to do.
expect "a pipe is closed" "$(./prog w 10 | cat)" "done"
while lives '^./(prog w|follow) [0-9]+' || pgrep -f "^cotree-sleeper $PWD/" >/dev/null; do sleep 0.1; done
[ ! -e started ] || fail "a follower without need: $(cat started)"

# Events are not the program's memory, whether it passes thunks or not, and though nobody packs
# them; nor does it make their pages, 6400 small ones. It waits until that is so: however busy
# others are, they come to it.
build_traced pages "$HERE/traced_pages.c"
for case in thunks -; do
    rm -f ./*.cotree*
    made=$(./pages 400 $case) || fail "$case: status $?"
    [ "$(stat -c %b ./*-events)" -gt 50000 ] || fail "$case: only $(stat -c %b ./*-events) blocks"
    [ $case = thunks ] || [ "$made" -lt 3200 ] || fail "it made $made pages"
    echo "$case: it made $made pages"
done
# Whoever shares its memory to see to that is gone when it executes another program.
./prog x 9 >/dev/null 2>&1 &
sleeps=$!
until [ "$(ps -o args= -p $sleeps)" = "sleep 600" ]; do sleep 0.1; done
while lives '^./prog x 9$'; do sleep 0.1; done # who shares the memory of a program that is no more
kill "$sleeps" || fail "the other program has ended too soon"
wait "$sleeps" || :

# Nobody has the executable in use when the program has ended, in whatever orderly way: it can be
# written to at once.
cat >ends.c <<'C'
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    volatile int x = 0;
    for (int i = 0; i < atoi(argv[argc - 1]); i++)
        x += i & 1 ? 1 : 2;
    switch (*argv[1]) {
    case '_':
        _exit(0);
    case 'q':
        quick_exit(0);
    case 't':
        raise(SIGTERM);
    case 'a':
        abort();
    }
    return 0;
}
C
"$COTREE_BUILD/cotree" cc -fcotree=trace -O1 ends.c -o ends
ulimit -c 0
for how in r _ q t a r _ q t a r r r r r; do
    for rounds in 1 3000; do
        ./ends $how $rounds 2>/dev/null || :
        : >>ends || fail "the executable is in use after '$how'"
    done
done
rm -f ./*.cotree*

# A program that could not make its file small has a follower afterwards: killed, or it has executed
# another one.
for letters in wk wx; do
    rm -f ./*.cotree* started
    ./prog $letters 10 >/dev/null 2>&1 || :
    until [ -e started ]; do sleep 0.1; done
    grep -q -- --follow started || fail "$letters: no follower"
done

# A reaper of orphans gets none.
rm -f ./*.cotree* started
expect "a reaper" "$(./follow 30000000 200 reaper)" "$wanted"
[ ! -e started ] || fail "a reaper started a follower"
expect "a reaper's child" "$(timeout 600 ./follow 30000000 0 reaper fork)" "1 ended"
