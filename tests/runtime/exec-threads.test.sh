#!/usr/bin/env bash
# exec while other threads live: their frames are recorded; when it fails they go on as if nothing had been.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"
PATH=$COTREE_BUILD:$PATH
cat >threads.c <<'SOURCE'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static volatile long sum;
static volatile int stop;
static void *busy(void *unused)
{
    while (!stop)
        sum++;
    return unused;
}
static void *blocked(void *pipe)
{
    char byte;
    while (read(*(int *)pipe, &byte, 1) == 1)
        sum++;
    return pipe;
}
int main(int argc, char **argv)
{
    pthread_t threads[4];
    int ends[2];
    if (pipe(ends) != 0)
        return 9;
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, i < 2 ? busy : blocked, &ends[0]);
    for (int i = 0; i < 20; i++)
        execl("/no/such/program", "x", (char *)NULL);
    if (argc > 1)
        execl("/bin/true", "true", (char *)NULL);
    stop = 1;
    if (write(ends[1], "abcd", 4) != 4)
        return 9;
    close(ends[1]);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return argv[0] == NULL;
}
SOURCE
for kind in -O0 -O2 "-O2 -static"; do
    cotree cc $kind -pthread -fcotree=edges,every-edge threads.c -o prog
    for argument in "" now; do
        rm -f ./*.cotree
        timeout 600 ./prog $argument || fail "$kind $argument: status $?"
        cotree report --check-sets --format=json prog ./*.cotree >json ||
            fail "$kind $argument: the sets differ"
        expect "$kind $argument: lost" "$(field frames_lost ./*.cotree)" 0
        state=CLEAN; [ -z "$argument" ] || state=EXEC
        expect "$kind $argument: states" "$(states ./*.cotree)" "$state=5"
        # Busy threads are stopped at any instruction: a place that is not known is declared by the
        # decoder, all others are right.
        [ -n "$argument" ] || expect "$kind: exact" "$(jq .exact json)" true
    done
done
