#!/usr/bin/env bash
# A thread that begins to count while the process ends, after the exit handlers, is not forgotten;
# one that never counts does no harm.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
cat >late.c <<'SOURCE'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
void *waits(void *go); /* without counters */
static volatile int go;
void counted(void)
{
    for (int i = 0; i < 10; i++)
        if (i == 5)
            pause();
}
/* Streams are written when all exit handlers have run. */
__attribute__((no_profile_instrument_function)) static ssize_t write_late(void *unused, const char *bytes, size_t size)
{
    (void)unused, (void)bytes;
    go = 1;
    usleep(300000);
    return (ssize_t)size;
}
int main(int argc, char **argv)
{
    pthread_t thread;
    FILE *stream = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_late});
    if (argc > 1)
        fputs(argv[1], stream);
    return pthread_create(&thread, NULL, waits, (void *)&go);
}
SOURCE
cat >waits.c <<'SOURCE'
#include <unistd.h>
void counted(void);
void *waits(void *go)
{
    while (!*(volatile int *)go)
        usleep(1000);
    counted();
    return 0;
}
SOURCE
$clang -c waits.c
for kind in -O0 "-O2 -static"; do
    rm -f ./*.cotree
    cotree cc $kind -D_GNU_SOURCE -pthread late.c waits.o -o late
    ./late
    [ "$(cotree report --format=json late ./late.*.cotree | jq -c '[.exact, .why_not_exact]')" = '[true,[]]' \
        ] || die "$kind: not exact"
    rm -f ./*.cotree
    ./late text
    has "$(cotree report --format=json late ./late.*.cotree | jq -r '.why_not_exact[]')" \
        "while other threads were alive"
done

# In a file for all runs nobody takes over the block of such a thread.
rm -f ./*.cotree
export COTREE_FILE=pool-%m.cotree
./late text
cotree report --format=json late ./pool-*.cotree >first
for i in 1 2 3; do ./late; done
cotree report --format=json late ./pool-*.cotree >json
has "$(jq -r '.why_not_exact[]' first)" "while other threads were alive"
has "$(jq -r '.why_not_exact[]' json)" "while other threads were alive"
[ "$(jq '[.functions[] | select(.name == "main") | .entries]' json -c)" = "[4]" ] ||
    die "pool: counts of main"
