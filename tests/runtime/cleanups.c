/* Clean-up handlers of C when a thread is cancelled or ends: `cleanups cancel | exit | none`. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "handmade.h"

COUNTERS(counters, 0x6003, 1)
#define FRAME __attribute__((noinline, used))
#define STAY __asm__ volatile("")

static int pipe_ends[2], cancels, ends;

static void clean(void *text)
{
    printf("clean %s\n", (const char *)text);
}

FRAME void t_innermost(void)
{
    COUNT(counters, 0);
    if (ends)
        pthread_exit(NULL);
    if (write(pipe_ends[1], "x", 1) != 1)
        abort();
    while (cancels)
        pause();
    STAY;
}
FRAME void t_plain(void)
{
    t_innermost();
    STAY;
}
FRAME void t_inner(void)
{
    pthread_cleanup_push(clean, (void *)"inner");
    t_plain();
    STAY;
    pthread_cleanup_pop(1);
}
FRAME void t_between(void)
{
    t_inner();
    STAY;
}
FRAME void t_outer(void)
{
    pthread_cleanup_push(clean, (void *)"outer");
    pthread_cleanup_push(clean, (void *)"outer too");
    t_between();
    STAY;
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(1);
}
FRAME void *t_thread(void *unused)
{
    t_outer();
    STAY;
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    char c;
    const char *how = argc > 1 ? argv[1] : "none";
    cancels = strcmp(how, "cancel") == 0;
    ends = strcmp(how, "exit") == 0;
    setvbuf(stdout, NULL, _IONBF, 0);
    if (pipe(pipe_ends) != 0 || pthread_create(&thread, NULL, t_thread, NULL) != 0)
        abort();
    if (cancels) {
        if (read(pipe_ends[0], &c, 1) != 1)
            abort();
        usleep(20000);
        pthread_cancel(thread);
    }
    pthread_join(thread, NULL);
    return 0;
}
