#!/usr/bin/env bash
# The sequences of blocks that are regenerated are those that were reported, thread by thread, child
# by child, and in handlers of signals.
set -eu
. "$COTREE_TOP/tests/lib/traced.sh"

for level in 0 2 3; do
    run $level threads.c 1
    run $level forks.c 51
    run $level signals.c 1
    run $level cancelled.cpp 1
done

# However a thread ended, that it did is known: counts are exact, and those of a counter on every edge.
cat >alone.c <<'C'
#include <sys/stat.h>
#include <unistd.h>
void wait_until_alone(void)
{
    for (struct stat status; stat("/proc/self/task", &status) == 0 && status.st_nlink > 3;)
        usleep(1000);
}
C
"clang-$LLVM" -O2 -c alone.c -o alone.o
ends() { # SETS [OPTION...]: the counts of a run
    local sets=$1
    shift
    "$cotree" cc -O2 -w "-fcotree=$sets" "$@" "$here/thread_ends.c" alone.o -pthread -o ends
    rm -f ends.*.cotree*
    ./ends >output || fail "$sets: status $?"
    "$cotree" report --format=json ends ends.*.cotree | jq -c '.exact, (.functions[] | [.name, .edges])' |
        sort
}
ends every-edge >wanted
grep -qx true wanted || fail "counters are not exact: $(head -n 1 wanted)"
cp output wanted-output
for option in -pthread -static; do
    ends trace $option >got
    cmp wanted got || fail "$option: $(diff wanted got | head -n 4)"
    cmp output wanted-output
    "$cotree" trace ends ends.*.cotree >summary
    [ "$(grep -c 'its function returned$' summary)" = 9 ] || fail "$option: $(cat summary)"
done
