#!/usr/bin/env bash
# Sanitizers have handlers for signals, too: what they find, and how their programs end, is what it
# is without the runtime.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"
PATH=$COTREE_BUILD:$PATH
cat >program.c <<'SOURCE'
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void handler(int number)
{
    (void)!write(1, number == SIGTERM ? "term\n" : "segv\n", 5);
}
static int deep(volatile char *above)
{
    volatile char here[512];
    here[0] = above != NULL ? above[0] : 0;
    return deep(here) + here[0];
}
static void *body(void *how)
{
    if (strcmp(how, "thread-overflow") == 0)
        deep(NULL);
    if (strcmp(how, "thread-null") == 0)
        *(volatile int *)8 = 1;
    if (strcmp(how, "alive") == 0)
        return (void *)(long)pause();
    return NULL;
}
int main(int argc, char **argv)
{
    pthread_t thread;
    if (strcmp(argv[1], "null") == 0)
        *(volatile int *)8 = 1;
    if (strcmp(argv[1], "overflow") == 0)
        deep(NULL);
    if (strcmp(argv[1], "term") == 0)
        raise(SIGTERM);
    if (strcmp(argv[1], "abort") == 0)
        abort();
    if (strcmp(argv[1], "own") == 0) {
        signal(SIGSEGV, handler), signal(SIGTERM, handler);
        raise(SIGTERM), raise(SIGSEGV);
        signal(SIGTERM, SIG_DFL), signal(SIGSEGV, SIG_DFL);
        raise(SIGSEGV);
    }
    pthread_create(&thread, NULL, body, argv[1]);
    if (strcmp(argv[1], "alive") == 0)
        usleep(20000);
    else
        pthread_join(thread, NULL);
    return argc - 2;
}
SOURCE
ulimit -c 0
ulimit -s 1024
export TSAN_OPTIONS=atexit_sleep_ms=300
see() { # what the sanitizer says, and the status
    local status=0
    { timeout -k 1 600 "$@" >out 2>err || status=$?; } 2>/dev/null
    echo "$status $(tr '\n' ' ' <out) $(grep -oE '(ERROR|WARNING): [A-Za-z]*: [A-Za-z-]*' err | tr '\n' ' ')"
}
for sanitizer in address thread undefined memory; do
    clang-${LLVM:-19} -g -fsanitize=$sanitizer -Wno-infinite-recursion program.c -o plain
    cotree cc -g -fsanitize=$sanitizer -Wno-infinite-recursion program.c -o counted
    for how in return null overflow term abort own thread-overflow thread-null alive; do
        expect "$sanitizer $how" "$(see ./counted $how)" "$(see ./plain $how)"
    done
done
