#!/usr/bin/env bash
# The follower of a traced program: started when there is something to pack, seen by nobody, gone when the program is gone.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"
build_traced prog "$HERE/traced.c"
build_traced follow "$HERE/traced_follow.c"
directory=$PWD
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
for _ in $(seq 100); do [ -e started ] || sleep 0.1; done
expect "how it is started" "$(cat started)" "trace --follow $(ls "$PWD"/follow.*.cotree)
COTREE=off
/dev/null
/dev/null
1 0 ?"

# While it runs no end by exec is written: those of this program fail.
build_tdump
expect "the end, once" "$(./tdump ./follow.*-events | grep END | tr '\n' ';')" "END calls=0 what=2 at=30000000;"

# Nothing to pack, or the program is gone, or it is not wanted: none.
rm -f ./*.cotree* started
./follow 10 100 >/dev/null
COTREE_FOLLOWER=off ./follow 30000000 200 >/dev/null
COTREE_FOLLOWER=off ./prog w 30000000 >/dev/null
COTREE=off ./follow 30000000 100 >/dev/null
sleep 0.3
[ ! -e started ] || fail "a follower without need: $(cat started)"
# The copy that sleeps ends with the program.
rm -f ./*.cotree*
start=$(date +%s%N)
expect "a pipe is closed" "$(./prog w 10 | cat)" "done"
for _ in $(seq 50); do pgrep -f "^./prog w 10" >/dev/null || break; sleep 0.1; done
! pgrep -f "^./prog w 10" >/dev/null || fail "a process is left over"
echo "some $((($(date +%s%N) - start) / 1000000)) ms"

# Events are not the program's memory, whether it passes thunks or not, and though nobody packs them.
"$CLANG" -O1 "$COTREE_TOP/bench/maxrss.c" -o maxrss
for case in 'p 150' 'b 150000'; do
    rm -f ./*.cotree* sizes
    COTREE_FOLLOWER=off ./maxrss sizes ./prog w 10 >/dev/null
    rm ./*.cotree*
    ./maxrss sizes ./prog $case >/dev/null
    { read -r plain _ && read -r traced _ _ faults _; } <sizes
    [ "$(stat -c %b ./*-events)" -gt 280000 ] || fail "$case: only $(stat -c %b ./*-events) blocks"
    [ "$traced" -lt $((plain * 11 / 10 + 16384)) ] || fail "$case: $traced KiB, hardly traced $plain"
    # Nor does it make their pages: 37000 small ones.
    [ "$faults" -lt 18000 ] || fail "$case: $faults faults"
    echo "$case: $traced KiB, hardly traced $plain; $faults faults"
done
# Whoever shares its memory to see to that is gone when it executes another program.
./prog x 9 >/dev/null 2>&1 &
sleeps=$!
for _ in $(seq 100); do [ "$(ps -o args= -p $sleeps)" != "sleep 20" ] || break; sleep 0.1; done
for _ in $(seq 100); do pgrep -f '^./prog x 9$' >/dev/null || break; sleep 0.1; done
! pgrep -f '^./prog x 9$' >/dev/null || fail "a process shares the memory of a program that is no more: $(pgrep -af '^./prog x 9$')"
kill "$sleeps" || fail "the other program has ended too soon"
wait "$sleeps" || :

# A program that could not make its file small has a follower afterwards: killed, or it has executed another one.
for letters in wk wx; do
    rm -f ./*.cotree* started
    ./prog $letters 10 >/dev/null 2>&1 || :
    for _ in $(seq 100); do [ -e started ] || sleep 0.1; done
    grep -q -- --follow started || fail "$letters: no follower"
done

# A reaper of orphans gets none.
rm -f ./*.cotree* started
expect "a reaper" "$(./follow 30000000 200 reaper)" "$wanted"
[ ! -e started ] || fail "a reaper started a follower"
expect "a reaper's child" "$(timeout 600 ./follow 30000000 0 reaper fork)" "1 ended"
