/*
 * What random programs (generate.c) include. S(statement) is a statement whose executions are counted by the
 * program itself, if it is compiled with -DTRUTH: an atomic increment, one instruction, of a number in memory
 * that is the file $TRUTH_FILE, at its line. Children add to the same numbers. Nothing in here is counted by
 * cotree.
 *
 * The file: TRUTH_LINES numbers, by line, how often the statement began; as many, by line, how often a
 * handler that did not return had interrupted the program just before that increment, in its line.
 */
#ifndef PROGRAM_H
#define PROGRAM_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define UNCOUNTED __attribute__((no_profile_instrument_function, unused))
#define NOINLINE __attribute__((noinline))
#define TRUTH_LINES 4096ul

#ifdef TRUTH
unsigned long truth[2 * TRUTH_LINES] __asm__("truth_numbers")
    __attribute__((aligned(4096), visibility("hidden")));
#define T __asm__ volatile("lock incq truth_numbers+%c0(%%rip)" ::"i"(8 * __LINE__))
#define S(...)                                                                                               \
    T;                                                                                                       \
    __VA_ARGS__
/* Where one statement may stand, and none that jumps. */
#define ONE(...)                                                                                             \
    do {                                                                                                     \
        T;                                                                                                   \
        __VA_ARGS__;                                                                                         \
    } while (0)
#else
#define S(...) __VA_ARGS__
#define ONE(...) __VA_ARGS__
#endif

#ifdef __cplusplus
#define THREAD_LOCAL thread_local
#else
#define THREAD_LOCAL _Thread_local
#endif
/* A thread decides by numbers of its own, so that a run is the same whatever others do. `budget` bounds what
 * it does; `until_end` is how often the first thread comes to a place where the program may end before it
 * does. All is volatile: it must be there for whoever jumps out of a handler. */
static THREAD_LOCAL volatile unsigned number;
static THREAD_LOCAL volatile int budget, until_end, forks, trying;
static THREAD_LOCAL sigjmp_buf *volatile jump_to;
static volatile unsigned sink;
static volatile int handled;
static int *volatile nowhere = (int *)8;
#define R(n) (number = number * 1664525u + 1013904223u, (number >> 16) % (n))

/* A handler that will not return was entered here. Where control stood is taken for a line that began; was it
 * just before the increment of one? Optimised code of a line, or of a function's beginning, may come first.
 */
UNCOUNTED static void interrupted_at(void *context)
{
#ifdef TRUTH
    const unsigned char *at = (const unsigned char *)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    for (int distance, i = 0; i < 48; i++, at++) {
        if (memcmp(at, "\xf0\x48\xff\x05", 4) != 0)
            continue;
        memcpy(&distance, at + 4, sizeof distance);
        unsigned long line =
            (unsigned long)(at + 8 + distance - (const unsigned char *)truth) / sizeof *truth;
        if (line < TRUTH_LINES)
            __atomic_fetch_add(&truth[TRUTH_LINES + line], 1, __ATOMIC_RELAXED);
        return;
    }
#else
    (void)context;
#endif
}

/* Sends itself the signal that main's arguments ask for: SIGNAL MICROSECONDS. A child does so for itself. */
static int asked_signal;
static long asked_wait;
UNCOUNTED static void send_later(void)
{
    struct sigevent event;
    timer_t timer;
    const struct itimerspec once = {{0, 0}, {asked_wait / 1000000, asked_wait % 1000000 * 1000}};
    if (asked_signal == 0)
        return;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = asked_signal;
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 || timer_settime(timer, 0, &once, NULL) != 0)
        _exit(122);
}

/* main's arguments: ROUNDS [SIGNAL MICROSECONDS] */
UNCOUNTED static void start(int argc, char **argv, unsigned *rounds)
{
    const struct rlimit none = {0, 0};
#ifdef TRUTH
    const char *name = getenv("TRUTH_FILE");
    int file = name ? open(name, O_RDWR | O_CREAT, 0666) : -1;
    if (file < 0 || ftruncate(file, sizeof truth) != 0 ||
        mmap(truth, sizeof truth, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) != (void *)truth)
        _exit(121);
    close(file);
#endif
    setrlimit(RLIMIT_CORE, &none);
    *rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    if (argc > 3)
        asked_signal = atoi(argv[2]), asked_wait = atol(argv[3]);
    send_later();
}

/* SIGALRM every so many microseconds; 0: no more. */
UNCOUNTED static void ticks(int microseconds)
{
    const struct itimerval every = {{0, microseconds}, {0, microseconds}};
    setitimer(ITIMER_REAL, &every, NULL);
}

UNCOUNTED static void handle(int signal, void (*handler)(int, siginfo_t *, void *), int flags)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO | flags;
    sigaction(signal, &action, NULL);
}
#endif
