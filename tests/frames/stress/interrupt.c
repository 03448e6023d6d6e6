/*
 * Runs corpus_main (quiet.h) and is interrupted in it at chosen instructions. It is counted, too.
 *
 *   interrupt count LIMIT             prints how many instructions one run takes, LIMIT at most
 *   interrupt jump SEED ROUNDS LIMIT  a handler jumps out, ROUNDS times, each time after a random number of
 * instructions up to LIMIT interrupt exit N, _exit N, abort N, signal N   a handler ends the process that way
 * at instruction N interrupt alarm SEED ROUNDS       SIGALRM jumps out after a random time interrupt wait
 * stops, for a tracer that steps and sends signals (inject.c)
 *
 * Instructions are counted by the processor's trap flag: SIGTRAP after each. The handler of that signal is a
 * handler like any other.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

int corpus_main(void);

static volatile uint64_t steps, stop_at;
static volatile int inside;
static sigjmp_buf home;
static enum { JUMP, EXIT, _EXIT, ABORT, SIGNAL } how;

int quiet(const char *format, ...)
{
    (void)format;
    return 0;
}

/* At the instruction where it is enough: away. */
static void on_step(int number)
{
    (void)number;
    if (++steps != stop_at)
        return;
    switch (how) {
    case JUMP:
        siglongjmp(home, 1);
    case EXIT:
        exit(3);
    case _EXIT:
        _exit(3);
    case ABORT:
        signal(SIGABRT, SIG_DFL);
        abort();
    case SIGNAL:
        raise(SIGTERM);
    }
}
static void on_alarm(int number)
{
    (void)number;
    if (inside)
        siglongjmp(home, 1);
    struct itimerval soon = {{0, 0}, {0, 20}};
    setitimer(ITIMER_REAL, &soon, NULL);
}

__attribute__((noinline)) static void stepped(void)
{
    __asm__ volatile("pushfq\n orq $0x100, (%%rsp)\n popfq" ::: "memory", "cc");
    corpus_main();
    __asm__ volatile("pushfq\n andq $~0x100, (%%rsp)\n popfq" ::: "memory", "cc");
}

static uint64_t random_number(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "count";
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1,
             rounds = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    struct sigaction action = {.sa_handler = on_step};
    sigaction(SIGTRAP, &action, NULL);
    if (strcmp(mode, "count") == 0) {
        stop_at = seed;
        if (sigsetjmp(home, 1) == 0)
            stepped();
        printf("%llu\n", (unsigned long long)steps);
    } else if (strcmp(mode, "jump") == 0) {
        uint64_t limit = strtoull(argv[4], NULL, 10), state = seed * 0x9e3779b97f4a7c15u + 1;
        for (volatile uint64_t i = 0; i < rounds; i++)
            if (sigsetjmp(home, 1) == 0) {
                steps = 0;
                stop_at = random_number(&state) % limit + 1;
                stepped();
            }
    } else if (strcmp(mode, "alarm") == 0) {
        signal(SIGALRM, on_alarm);
        uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
        for (volatile uint64_t i = 0; i < rounds; i++)
            if (sigsetjmp(home, 1) == 0) {
                struct itimerval soon = {{0, 0}, {0, (long)(1 + random_number(&state) % 100)}};
                setitimer(ITIMER_REAL, &soon, NULL);
                inside = 1;
                for (;;)
                    corpus_main();
            } else {
                inside = 0;
            }
    } else if (strcmp(mode, "wait") == 0) {
        raise(SIGSTOP);
        corpus_main();
    } else {
        how = strcmp(mode, "exit") == 0    ? EXIT
              : strcmp(mode, "_exit") == 0 ? _EXIT
              : strcmp(mode, "abort") == 0 ? ABORT
                                           : SIGNAL;
        stop_at = seed;
        stepped();
    }
    return 0;
}
