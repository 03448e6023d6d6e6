#!/usr/bin/env bash
# A program that forbids itself nearly all system calls dies as it does without counters, and the
# file says what is not known.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"
PATH=$COTREE_BUILD:$PATH
"$CLANG" $CFLAGS_TEST "$HERE/wait_status.c" -o wait_status
"$CLANG" $CFLAGS_TEST "$HERE/sandbox.c" -o plain
ulimit -c 0
run() { ./wait_status "$@" 2>/dev/null | tr '\n' ' '; }
for kind in "" "-static" "-fPIC"; do
    cotree cc -O1 -D_GNU_SOURCE -pthread $kind "$HERE/sandbox.c" -o program
    for how in prctl syscall bad; do
        for end in null oneshot onstack default threads return; do
            rm -f ./*.cotree
            expect "$kind $how $end" "$(run ./program $how $end)" "$(run ./plain $how $end)"
            state=$(states ./program.*.cotree)
            case $how-$end in
            bad-null | bad-oneshot | bad-default) expect "$kind $how $end" "$state" SIGNALLED=1 ;;
            *-null | *-oneshot | *-default) expect "$kind $how $end" "$state" USED=1 ;;
            *-return | *-onstack) expect "$kind $how $end" "$state" CLEAN=1 ;;
            esac
        done
    done
done
